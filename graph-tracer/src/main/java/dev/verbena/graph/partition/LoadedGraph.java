package dev.verbena.graph.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxNode;

/**
 * A graph as who divides it sees it: nodes are numbers in an order in which they can run, with a load each, and a net leads from each
 * node whose outputs others take to all of those.
 *
 * <p>Invariant: a net's producer is smaller than each of its consumers, which ascend.
 *
 * <p><b>Owner:</b> the partitioner. <b>Threading:</b> immutable.
 */
final class LoadedGraph {
    /** What a tensor costs each part that must be sent it, in bytes, and where it comes from and goes to. */
    record Net(long cost, int producer, int[] consumers) {}

    /** What could be sent in the time that a transfer takes whatever its size: about 1 us. Of few tensors and many of the same bytes few are better. */
    private static final long TRANSFER_COST = 8 << 10;

    /** All loads together, about. */
    private static final double LOAD_TOTAL = 1e9;

    private final long[] loads;
    private final List<Net> nets;
    private final int[][] made;
    private final int[][] taken;

    /** @param loads at least 1 each */
    LoadedGraph(long[] loads, List<Net> nets) {
        this.loads = loads;
        this.nets = nets;
        List<List<Integer>> making = new ArrayList<>();
        List<List<Integer>> taking = new ArrayList<>();
        for (int i = 0; i < loads.length; i++) {
            making.add(new ArrayList<>());
            taking.add(new ArrayList<>());
        }
        for (int i = 0; i < nets.size(); i++) {
            making.get(nets.get(i).producer).add(i);
            for (int consumer : nets.get(i).consumers) {
                taking.get(consumer).add(i);
            }
        }
        made = arrays(making);
        taken = arrays(taking);
    }

    private static int[][] arrays(List<List<Integer>> lists) {
        return lists.stream().map(list -> list.stream().mapToInt(Integer::intValue).toArray()).toArray(int[][]::new);
    }

    /**
     * Loads are the share of all weights' bytes and the share of all work, half each.
     *
     * @param units what must be together: nodes, each behind those whose outputs it needs
     */
    static LoadedGraph of(OnnxGraph graph, InferredShapes shapes, List<List<OnnxNode>> units, Constants constants) {
        Set<String> counted = new HashSet<>();
        double[] weights = units.stream().mapToDouble(unit -> unit.stream().mapToLong(
                node -> weightBytes(graph, node, counted) + (constants.contains(node) ? madeBytes(shapes, node) : 0))
                .sum()).toArray();
        double[] work = units.stream().mapToDouble(unit -> unit.stream().filter(node -> !constants.contains(node))
                .mapToLong(node -> Estimates.assumed(NodeWork.of(node, shapes))).sum()).toArray();
        double allWeights = Math.max(1, Arrays.stream(weights).sum());
        double allWork = Math.max(1, Arrays.stream(work).sum());
        long[] loads = new long[weights.length];
        for (int i = 0; i < loads.length; i++) {
            loads[i] = 1 + Math.round(LOAD_TOTAL / 2 * (weights[i] / allWeights + work[i] / allWork));
        }
        return new LoadedGraph(loads, nets(units, shapes, constants));
    }

    /** None begins at a constant, of which each part that takes it has a copy. */
    private static List<Net> nets(List<List<OnnxNode>> units, InferredShapes shapes, Constants constants) {
        Map<String, Set<Integer>> users = new HashMap<>();
        for (int i = 0; i < units.size(); i++) {
            for (OnnxNode node : units.get(i)) {
                for (String input : node.needs()) {
                    users.computeIfAbsent(input, none -> new TreeSet<>()).add(i);
                }
            }
        }
        List<Net> nets = new ArrayList<>();
        for (int i = 0; i < units.size(); i++) {
            int producer = i;
            for (OnnxNode node : units.get(i)) {
                if (constants.contains(node)) {
                    continue;
                }
                for (String output : node.outputs()) {
                    int[] consumers = users.getOrDefault(output, Set.of()).stream().mapToInt(Integer::intValue)
                            .filter(unit -> unit != producer).toArray();
                    if (consumers.length > 0) {
                        nets.add(new Net(TRANSFER_COST + Estimates.assumedByteSize(shapes.tensor(output)), i,
                                consumers));
                    }
                }
            }
        }
        return nets;
    }

    private static long madeBytes(InferredShapes shapes, OnnxNode node) {
        return node.outputs().stream().filter(output -> !output.isEmpty())
                .mapToLong(output -> Estimates.assumedByteSize(shapes.tensor(output))).sum();
    }

    /** Of what the node is the first to use. */
    private static long weightBytes(OnnxGraph graph, OnnxNode node, Set<String> counted) {
        return node.needs().stream().filter(graph.initializers()::containsKey).filter(counted::add)
                .map(graph.initializers()::get).mapToLong(Estimates::byteSize).sum();
    }

    int size() {
        return loads.length;
    }

    long load(int node) {
        return loads[node];
    }

    long totalLoad() {
        return Arrays.stream(loads).sum();
    }

    List<Net> nets() {
        return nets;
    }

    Net net(int index) {
        return nets.get(index);
    }

    /** Indices of the nets that begin at a node. */
    int[] made(int node) {
        return made[node];
    }

    /** Indices of the nets that end at a node, among other ends. */
    int[] taken(int node) {
        return taken[node];
    }

    /** What goes from part to part costs: a tensor once for each part that takes it. */
    long cut(int[] partOf) {
        long cut = 0;
        for (Net net : nets) {
            cut += net.cost * Arrays.stream(net.consumers).map(node -> partOf[node]).distinct()
                    .filter(part -> part != partOf[net.producer]).count();
        }
        return cut;
    }

    /** The load of the part that has most. */
    long largestLoad(int[] partOf, int partCount) {
        long[] sums = new long[partCount];
        for (int i = 0; i < loads.length; i++) {
            sums[partOf[i]] += loads[i];
        }
        return Arrays.stream(sums).max().orElse(0);
    }
}
