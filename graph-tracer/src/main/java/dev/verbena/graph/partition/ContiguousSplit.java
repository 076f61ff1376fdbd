package dev.verbena.graph.partition;

import java.util.Arrays;
import java.util.Optional;

/**
 * Divides an order of nodes into slices, one for each part, by dynamic programming: what a slice receives depends on the slice alone, and so
 * does its load, so that the best division of a beginning into so many slices ends with one slice behind a best division of a shorter
 * beginning.
 *
 * <p><b>Owner:</b> the partitioner. <b>Threading:</b> confined to its owner. Time grows with the square of the number of nodes, where parts are few.
 */
final class ContiguousSplit {
    private static final long NONE = Long.MAX_VALUE;

    private final LoadedGraph graph;
    private final PartRanges ranges;
    private final int partCount;
    private final int[] order;
    private final int[] places;

    /** @param order of all nodes, each behind those that it takes something from */
    ContiguousSplit(LoadedGraph graph, PartRanges ranges, int partCount, int[] order) {
        this.graph = graph;
        this.ranges = ranges;
        this.partCount = partCount;
        this.order = order;
        places = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            places[order[i]] = i;
        }
    }

    /** The part of each node, so that the largest load is the least that slices of this order can have; empty if nodes' ranges allow none. */
    Optional<int[]> balanced() {
        return best(NONE, true);
    }

    /** The part of each node, so that no load is above the limit, and then the cut is least; empty if there is none such. */
    Optional<int[]> leastCut(long loadMax) {
        return best(loadMax, false);
    }

    private Optional<int[]> best(long loadMax, boolean isForBalance) {
        int size = order.length;
        long[][] costs = new long[partCount + 1][size + 1];
        int[][] starts = new int[partCount + 1][size + 1];
        for (long[] each : costs) {
            Arrays.fill(each, NONE);
        }
        costs[0][0] = 0;
        // How many nodes of the slice take from a net: a slice receives a net once. Of which slice the number is says the second array.
        int[] takers = new int[graph.nets().size()];
        int[] takersEnd = new int[graph.nets().size()];
        for (int end = 1; end <= size; end++) {
            long load = 0;
            long received = 0;
            int first = 0;
            int last = partCount - 1;
            for (int start = end - 1; start >= 0; start--) {
                int node = order[start];
                load += graph.load(node);
                first = Math.max(first, ranges.first(node));
                last = Math.min(last, ranges.last(node));
                if (load > loadMax || first > last) {
                    break;
                }
                for (int net : graph.taken(node)) {
                    takers[net] = takersEnd[net] == end ? takers[net] + 1 : 1;
                    takersEnd[net] = end;
                    received += takers[net] == 1 ? graph.net(net).cost() : 0;
                }
                for (int net : graph.made(node)) {
                    received -= takersEnd[net] == end ? graph.net(net).cost() : 0;
                }
                for (int part = first; part <= last; part++) {
                    long before = costs[part][start];
                    long cost = before == NONE ? NONE : isForBalance ? Math.max(before, load) : before + received;
                    if (cost < costs[part + 1][end]) {
                        costs[part + 1][end] = cost;
                        starts[part + 1][end] = start;
                    }
                }
            }
        }
        return costs[partCount][size] == NONE ? Optional.empty() : Optional.of(parts(starts));
    }

    private int[] parts(int[][] starts) {
        int[] partOf = new int[order.length];
        int end = order.length;
        for (int part = partCount - 1; part >= 0; part--) {
            int start = starts[part + 1][end];
            for (int i = start; i < end; i++) {
                partOf[order[i]] = part;
            }
            end = start;
        }
        return partOf;
    }
}
