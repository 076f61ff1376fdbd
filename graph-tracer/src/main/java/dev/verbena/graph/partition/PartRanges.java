package dev.verbena.graph.partition;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import dev.verbena.graph.partition.LoadedGraph.Net;

/**
 * In which parts each node may be, since some have been put where they are: none before what it needs, none behind what needs it.
 *
 * <p>Invariant: along each net {@code first} and {@code last} never fall.
 *
 * <p><b>Owner:</b> the partitioner. <b>Threading:</b> immutable.
 */
final class PartRanges {
    /** Of a node that nobody has put anywhere. */
    static final int FREE = -1;

    private final LoadedGraph graph;
    private final int[] pins;
    private final int partCount;
    private final int[] first;
    private final int[] last;

    /** @param pins by node, {@link #FREE} or its part */
    PartRanges(LoadedGraph graph, int[] pins, int partCount) {
        this.graph = graph;
        this.pins = pins.clone();
        this.partCount = partCount;
        first = new int[pins.length];
        last = new int[pins.length];
        Arrays.fill(last, partCount - 1);
        for (int i = 0; i < pins.length; i++) {
            first[i] = Math.max(first[i], pins[i]);
            for (int net : graph.made(i)) {
                for (int consumer : graph.net(net).consumers()) {
                    first[consumer] = Math.max(first[consumer], first[i]);
                }
            }
        }
        for (int i = pins.length - 1; i >= 0; i--) {
            last[i] = pins[i] == FREE ? last[i] : Math.min(last[i], pins[i]);
            for (int net : graph.taken(i)) {
                Net each = graph.net(net);
                last[each.producer()] = Math.min(last[each.producer()], last[i]);
            }
        }
    }

    /**
     * With a node put into each part that has none for certain; empty if there is none left for one. Of those that may be there, the one
     * that must be earliest otherwise: the rest may be needed later.
     */
    Optional<PartRanges> withAllParts() {
        PartRanges ranges = this;
        for (int i = 0; i < partCount; i++) {
            PartRanges present = ranges;
            int part = i;
            if (nodes().noneMatch(node -> present.first[node] == part && present.last[node] == part)) {
                OptionalInt chosen = nodes().filter(node -> present.first[node] <= part && present.last[node] >= part)
                        .boxed().min(Comparator.comparingInt(node -> present.last[node])).stream()
                        .mapToInt(Integer::intValue).findFirst();
                if (chosen.isEmpty()) {
                    return Optional.empty();
                }
                int[] more = present.pins.clone();
                more[chosen.getAsInt()] = part;
                ranges = new PartRanges(graph, more, partCount);
            }
        }
        return Optional.of(ranges);
    }

    private IntStream nodes() {
        return IntStream.range(0, pins.length);
    }

    int first(int node) {
        return first[node];
    }

    int last(int node) {
        return last[node];
    }

    /** A node that can be nowhere; {@link #FREE} if there is none. */
    int contradiction() {
        for (int i = 0; i < first.length; i++) {
            if (first[i] > last[i]) {
                return i;
            }
        }
        return FREE;
    }
}
