package dev.verbena.graph.partition;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.verbena.graph.partition.LoadedGraph.Net;

/**
 * Parts of about the same load, between which what crosses costs as little as can be found. Several orders in which nodes can run are divided into
 * slices, each division is refined, and the best taken.
 *
 * <p>No load is above {@link #loadMax}, and what crosses costs no more than in the balanced division of the graph's own order.
 *
 * <p><b>Owner:</b> the partitioner. <b>Threading:</b> confined to its owner.
 */
final class AutomaticDivision {
    /** What a part may have above its share. */
    private static final double SLACK = 1.1;
    private static final double LITTLE = 0.02;
    /**
     * What must be early comes early, however that is meant: along each net neither end of a range falls, so that each of these leaves an
     * order in which nodes can run. With nothing put anywhere they are all the same.
     */
    private static final List<Comparator<PartRange>> ORDERS = List.of(
            Comparator.comparingInt(PartRange::first).thenComparingInt(PartRange::last),
            Comparator.comparingInt(range -> range.first + range.last),
            Comparator.comparingInt(PartRange::last).thenComparingInt(PartRange::first));

    private record PartRange(int first, int last) {}

    private final LoadedGraph graph;
    private final int partCount;
    private PartRanges ranges;

    AutomaticDivision(LoadedGraph graph, PartRanges ranges, int partCount) {
        this.graph = graph;
        this.ranges = ranges;
        this.partCount = partCount;
    }

    /** Slices of the graph's own order whose largest load is least; empty if what has been put where it is leaves a part without a node. */
    Optional<int[]> plain() {
        Optional<int[]> found = plainWithinRanges();
        if (found.isEmpty()) {
            // Slices of none of these orders have what each part needs: so that is put there first.
            Optional<PartRanges> filled = ranges.withAllParts();
            filled.ifPresent(more -> ranges = more);
            found = filled.flatMap(more -> plainWithinRanges());
        }
        return found;
    }

    private Optional<int[]> plainWithinRanges() {
        return ORDERS.stream().map(order -> new ContiguousSplit(graph, ranges, partCount,
                withinRanges(IntStream.range(0, graph.size()), order)).balanced()).flatMap(Optional::stream)
                .findFirst();
    }

    /** A tenth above its share, or what the plain division needs and a little, so that what weighs next to nothing may be with what is heavy. */
    long loadMax(int[] plain) {
        double share = (double) graph.totalLoad() / partCount;
        return Math.max((long) (SLACK * share), graph.largestLoad(plain, partCount) + (long) (LITTLE * share));
    }

    /** As {@link #plain}, but the best. */
    Optional<int[]> find() {
        Optional<int[]> plain = plain();
        if (plain.isEmpty()) {
            return plain;
        }
        long loadMax = loadMax(plain.get());
        return ORDERS.stream()
                .flatMap(order -> Stream.of(withinRanges(IntStream.range(0, graph.size()), order),
                        withinRanges(depthFirst(true), order), withinRanges(depthFirst(false), order)))
                .map(order -> new ContiguousSplit(graph, ranges, partCount, order).leastCut(loadMax))
                .flatMap(Optional::stream).map(each -> Refinement.of(graph, ranges, partCount, loadMax, each))
                .min(Comparator.<int[]>comparingLong(graph::cut)
                        .thenComparingLong(each -> graph.largestLoad(each, partCount)));
    }

    private int[] withinRanges(IntStream nodes, Comparator<PartRange> order) {
        return nodes.boxed().sorted(Comparator.comparing(node -> new PartRange(ranges.first(node), ranges.last(node)),
                order)).mapToInt(Integer::intValue).toArray();
    }

    /** What follows a node comes as soon after it as can be: one branch, then the next. */
    private IntStream depthFirst(boolean isForward) {
        int[] waiting = new int[graph.size()];
        graph.nets().forEach(net -> {
            if (isForward) {
                Arrays.stream(net.consumers()).forEach(consumer -> waiting[consumer]++);
            } else {
                waiting[net.producer()] += net.consumers().length;
            }
        });
        Deque<Integer> ready = new ArrayDeque<>();
        IntStream.range(0, waiting.length).map(i -> isForward ? waiting.length - 1 - i : i)
                .filter(i -> waiting[i] == 0).forEach(ready::push);
        int[] order = new int[waiting.length];
        int count = 0;
        while (!ready.isEmpty()) {
            int node = ready.pop();
            order[isForward ? count : order.length - 1 - count] = node;
            count++;
            for (int index : isForward ? graph.made(node) : graph.taken(node)) {
                Net net = graph.net(index);
                int[] next = isForward ? net.consumers() : new int[]{net.producer()};
                for (int each : next) {
                    waiting[each]--;
                    if (waiting[each] == 0) {
                        ready.push(each);
                    }
                }
            }
        }
        return Arrays.stream(order);
    }
}
