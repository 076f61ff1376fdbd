package dev.verbena.graph.partition;

import dev.verbena.graph.partition.LoadedGraph.Net;

/**
 * Moves single nodes to other parts as long as what crosses costs less because of it, as Fiduccia and Mattheyses do: in a pass each node moves once at
 * most, the best move first, even if it is a bad one, and what came behind the best state of the pass is taken back. A move is one only
 * if nothing goes back because of it.
 *
 * <p><b>Owner:</b> the partitioner. <b>Threading:</b> confined to its owner.
 *
 * @see <a href="https://doi.org/10.1137/18M1176865">Herrmann et al.: Multilevel Algorithms for Acyclic Partitioning of Directed Acyclic
 *     Graphs, SIAM J. Sci. Comput. 2019, §4.3</a>
 */
final class Refinement {
    private static final int PASSES_MAX = 16;
    /** Moves of a pass behind its best state, until it is given up. */
    private static final int IN_VAIN_MAX = 64;

    private final LoadedGraph graph;
    private final PartRanges ranges;
    private final long loadMax;
    private final int[] partOf;
    private final long[] loads;
    private final int[] sizes;
    /** How many nodes of a part take from a net. */
    private final int[][] takers;

    private Refinement(LoadedGraph graph, PartRanges ranges, int partCount, long loadMax, int[] partOf) {
        this.graph = graph;
        this.ranges = ranges;
        this.loadMax = loadMax;
        this.partOf = partOf.clone();
        loads = new long[partCount];
        sizes = new int[partCount];
        takers = new int[graph.nets().size()][partCount];
        for (int i = 0; i < partOf.length; i++) {
            loads[partOf[i]] += graph.load(i);
            sizes[partOf[i]]++;
            for (int net : graph.taken(i)) {
                takers[net][partOf[i]]++;
            }
        }
    }

    /** As good as what was given, or better, within the same limit of loads; no part becomes empty. */
    static int[] of(LoadedGraph graph, PartRanges ranges, int partCount, long loadMax, int[] partOf) {
        Refinement refinement = new Refinement(graph, ranges, partCount, loadMax, partOf);
        int passes = 0;
        while (passes < PASSES_MAX && refinement.pass()) {
            passes++;
        }
        return refinement.partOf;
    }

    /** @return whether it has gained anything */
    private boolean pass() {
        int[] movedNodes = new int[partOf.length];
        int[] from = new int[partOf.length];
        boolean[] isMoved = new boolean[partOf.length];
        long gained = 0;
        long best = 0;
        int bestCount = 0;
        int count = 0;
        while (count - bestCount < IN_VAIN_MAX) {
            long moveGain = Long.MIN_VALUE;
            int moveNode = -1;
            int movePart = -1;
            for (int node = 0; node < partOf.length; node++) {
                if (isMoved[node] || sizes[partOf[node]] == 1) {
                    continue;
                }
                int last = lastPart(node);
                for (int part = firstPart(node); part <= last; part++) {
                    if (part != partOf[node] && loads[part] + graph.load(node) <= loadMax) {
                        long gain = gain(node, part);
                        if (gain > moveGain) {
                            moveGain = gain;
                            moveNode = node;
                            movePart = part;
                        }
                    }
                }
            }
            if (moveNode < 0) {
                break;
            }
            movedNodes[count] = moveNode;
            from[count] = partOf[moveNode];
            isMoved[moveNode] = true;
            move(moveNode, movePart);
            count++;
            gained += moveGain;
            if (gained > best) {
                best = gained;
                bestCount = count;
            }
        }
        for (int i = count - 1; i >= bestCount; i--) {
            move(movedNodes[i], from[i]);
        }
        return best > 0;
    }

    private int firstPart(int node) {
        int first = ranges.first(node);
        for (int net : graph.taken(node)) {
            first = Math.max(first, partOf[graph.net(net).producer()]);
        }
        return first;
    }

    private int lastPart(int node) {
        int last = ranges.last(node);
        for (int net : graph.made(node)) {
            for (int consumer : graph.net(net).consumers()) {
                last = Math.min(last, partOf[consumer]);
            }
        }
        return last;
    }

    /** Bytes that no longer cross if a node moves. */
    private long gain(int node, int part) {
        int own = partOf[node];
        long gain = 0;
        for (int net : graph.taken(node)) {
            Net each = graph.net(net);
            int producer = partOf[each.producer()];
            gain += own != producer && takers[net][own] == 1 ? each.cost() : 0;
            gain -= part != producer && takers[net][part] == 0 ? each.cost() : 0;
        }
        for (int net : graph.made(node)) {
            gain += takers[net][part] > 0 ? graph.net(net).cost() : 0;
            gain -= takers[net][own] > 0 ? graph.net(net).cost() : 0;
        }
        return gain;
    }

    private void move(int node, int part) {
        int own = partOf[node];
        for (int net : graph.taken(node)) {
            takers[net][own]--;
            takers[net][part]++;
        }
        loads[own] -= graph.load(node);
        loads[part] += graph.load(node);
        sizes[own]--;
        sizes[part]++;
        partOf[node] = part;
    }
}
