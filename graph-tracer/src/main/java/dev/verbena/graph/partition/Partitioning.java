package dev.verbena.graph.partition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.ValueInfo;

/**
 * A model in parts. Each node is in one; what a part takes from another comes from one with a smaller number, so that each runs in one go,
 * one behind the other.
 *
 * <p>What no node makes is no crossing: initializers are where they are used, and the model's inputs are fed to each part that uses them.
 * Nor is what nodes make of initializers alone, or of nothing, such as {@code Constant}: each part that takes it has those nodes, too.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class Partitioning {
    /** By the positions of nodes. */
    private final int[] partOf;
    private final List<Part> parts;
    private final List<Crossing> crossings;

    private Partitioning(int[] partOf, List<Part> parts, List<Crossing> crossings) {
        this.partOf = partOf;
        this.parts = List.copyOf(parts);
        this.crossings = List.copyOf(crossings);
    }

    /**
     * As somebody says.
     *
     * @param order all nodes of the graph, each behind those whose outputs it needs, as {@code InferredShapes.order()} has them
     * @param partOf a node's part, from 0 to {@code partCount - 1}
     * @throws PartitionException if a part has no node, or a node needs what a later part makes
     */
    public static Partitioning of(OnnxGraph graph, List<OnnxNode> order, int partCount,
            ToIntFunction<OnnxNode> partOf) {
        int[] byPosition = new int[graph.nodes().size()];
        for (OnnxNode node : order) {
            int part = partOf.applyAsInt(node);
            if (part < 0 || part >= partCount) {
                throw new PartitionException(node.label() + " is put into part " + part + "; parts are 0 to "
                        + (partCount - 1));
            }
            byPosition[node.position()] = part;
        }
        return new Division(graph, order, partCount, byPosition).divide();
    }

    /** Parts are numbered from 0 to one less; each has at least one node. */
    public int partCount() {
        return parts.size();
    }

    /**
     * The part that a node has been put into. Where what it makes is constant, others can have a copy of it.
     *
     * @param node of the graph that was divided
     */
    public int partOf(OnnxNode node) {
        return partOf[node.position()];
    }

    /** By their numbers, which is the order in which they run; unmodifiable. */
    public List<Part> parts() {
        return parts;
    }

    /** What goes from part to part, in the order in which it is made. */
    public List<Crossing> crossings() {
        return crossings;
    }

    @Override
    public String toString() {
        return parts.size() + " parts of " + parts.stream().map(part -> part.nodes().size()).toList() + " nodes, "
                + crossings.size() + " crossings";
    }

    /** The making of one. */
    private static final class Division {
        private final OnnxGraph graph;
        private final List<OnnxNode> order;
        private final int[] partOf;
        private final Constants constants;
        private final List<Names> names = new ArrayList<>();
        private final Map<String, OnnxNode> producers = new HashMap<>();
        /** Parts that take what another makes. */
        private final Map<String, SortedSet<Integer>> consumers = new LinkedHashMap<>();

        Division(OnnxGraph graph, List<OnnxNode> order, int partCount, int[] partOf) {
            this.graph = graph;
            this.order = order;
            this.partOf = partOf;
            constants = new Constants(graph, order);
            for (int i = 0; i < partCount; i++) {
                names.add(new Names());
            }
        }

        Partitioning divide() {
            Map<Integer, Set<Integer>> copies = copies();
            for (OnnxNode node : order) {
                copies.get(node.position()).forEach(part -> place(node, part));
                node.outputs().stream().filter(output -> !output.isEmpty())
                        .forEach(output -> producers.put(output, node));
            }
            Set<String> results = new HashSet<>();
            graph.outputs().stream().map(ValueInfo::name).filter(producers::containsKey).filter(results::add)
                    .forEach(name -> names.get(partOf[producers.get(name).position()]).results.add(name));
            List<Crossing> crossings = new ArrayList<>();
            for (OnnxNode node : order) {
                for (String output : node.outputs()) {
                    if (consumers.containsKey(output)) {
                        int part = partOf[node.position()];
                        names.get(part).sends.add(output);
                        crossings.add(new Crossing(output, node, part, List.copyOf(consumers.get(output))));
                    }
                }
            }
            List<Part> parts = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                if (names.get(i).nodes.isEmpty()) {
                    throw new PartitionException("part " + i + " of " + names.size() + " has no node");
                }
                parts.add(names.get(i).part(i));
            }
            return new Partitioning(partOf, parts, crossings);
        }

        /** Parts by the position of a node that is in them: of what makes constants, all that take those, if only for a copy. */
        private Map<Integer, Set<Integer>> copies() {
            Map<Integer, Set<Integer>> copies = new HashMap<>();
            Map<String, Set<Integer>> takers = new HashMap<>();
            for (OnnxNode node : order.reversed()) {
                Set<Integer> parts = new HashSet<>(Set.of(partOf[node.position()]));
                if (constants.contains(node)) {
                    node.outputs().forEach(output -> parts.addAll(takers.getOrDefault(output, Set.of())));
                }
                copies.put(node.position(), parts);
                node.needs().forEach(input -> takers.computeIfAbsent(input, none -> new HashSet<>()).addAll(parts));
            }
            return copies;
        }

        private void place(OnnxNode node, int part) {
            Names own = names.get(part);
            own.nodes.add(node);
            for (String input : node.needs()) {
                OnnxNode producer = producers.get(input);
                if (producer == null) {
                    (graph.initializers().containsKey(input) ? own.initializers : own.feeds).add(input);
                } else if (!constants.contains(producer)) {
                    receive(node, part, input, producer);
                }
            }
        }

        private void receive(OnnxNode node, int part, String input, OnnxNode producer) {
            int from = partOf[producer.position()];
            if (from > part) {
                throw new PartitionException(node.label() + " in part " + part + " needs '" + input + "' of "
                        + producer.label() + " in part " + from + "; tensors go to later parts only");
            }
            if (from < part) {
                names.get(part).receives.add(input);
                consumers.computeIfAbsent(input, none -> new TreeSet<>()).add(part);
            }
        }
    }

    /** What is found out about one part. */
    private static final class Names {
        private final List<OnnxNode> nodes = new ArrayList<>();
        private final Set<String> initializers = new LinkedHashSet<>();
        private final Set<String> feeds = new LinkedHashSet<>();
        private final Set<String> receives = new LinkedHashSet<>();
        private final Set<String> sends = new LinkedHashSet<>();
        private final Set<String> results = new LinkedHashSet<>();

        Part part(int index) {
            return new Part(index, nodes, List.copyOf(initializers), List.copyOf(feeds), List.copyOf(receives),
                    List.copyOf(sends), List.copyOf(results));
        }
    }
}
