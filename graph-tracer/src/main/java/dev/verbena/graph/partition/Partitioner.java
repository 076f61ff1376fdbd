package dev.verbena.graph.partition;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxNode;

/**
 * Divides a model into parts. Nodes are where somebody has put them: by an annotation in the model, by a rule for their operator, one by
 * one. The rest is found: each part has about its share of all weights and of all work, and as few bytes as possible cross, in
 * few tensors. What runtimes fuse with the node before it, such as an activation, stays with it.
 *
 * <p>Bytes and work are those that have been inferred; what is open counts as 1, and so does a dimension that only a run can tell. Bound
 * symbols make better divisions.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class Partitioner {
    /** A node's metadata of this name say its part, if {@link #withAnnotations} is asked for. */
    public static final String METADATA = "verbena.part";

    /** Of a node's name, as exporters make it of the scopes within which the node came about. */
    private static final Pattern NAME = Pattern.compile("/?part(\\d{1,9})/.*");

    private final int partCount;
    private final Map<String, Integer> rules;
    private final boolean isByAnnotation;
    private final Function<OnnxNode, OptionalInt> pins;

    private Partitioner(int partCount, Map<String, Integer> rules, boolean isByAnnotation,
            Function<OnnxNode, OptionalInt> pins) {
        this.partCount = partCount;
        this.rules = rules;
        this.isByAnnotation = isByAnnotation;
        this.pins = pins;
    }

    /** So many parts, each of at least one node, and no node put anywhere yet; throws {@link IllegalArgumentException} if less than 1. */
    public static Partitioner into(int partCount) {
        if (partCount < 1) {
            throw new IllegalArgumentException("partCount=" + partCount + " must be 1 or more");
        }
        return new Partitioner(partCount, Map.of(), false, node -> OptionalInt.empty());
    }

    /** With all nodes of an operator, by its qualified name, in a part. An annotation counts more. */
    public Partitioner withRule(String operator, int part) {
        Map<String, Integer> more = new TreeMap<>(rules);
        more.put(operator, part);
        return new Partitioner(partCount, Map.copyOf(more), isByAnnotation, pins);
    }

    /** With nodes where the model says: by {@link #METADATA}, a number, or by a name that begins with {@code part0/}, {@code part1/} ... */
    public Partitioner withAnnotations() {
        return new Partitioner(partCount, rules, true, pins);
    }

    /** With nodes where that says, which counts more than annotations and rules. */
    public Partitioner withPins(Function<OnnxNode, OptionalInt> others) {
        return new Partitioner(partCount, rules, isByAnnotation, others);
    }

    /**
     * @param shapes what has been inferred of that graph
     * @throws PartitionException if the graph has fewer nodes than there shall be parts, or nodes cannot be where they have been put
     */
    public Partitioning partition(OnnxGraph graph, InferredShapes shapes) {
        if (shapes.order().size() < partCount) {
            throw new PartitionException("a graph of " + shapes.order().size() + " nodes cannot be divided into "
                    + partCount + " parts");
        }
        Constants constants = new Constants(graph, shapes.order());
        List<List<OnnxNode>> units = Units.of(graph, shapes, constants, node -> pin(node) != PartRanges.FREE);
        if (units.size() < partCount) {
            units = shapes.order().stream().map(List::of).toList();
        }
        int[] found = divide(units, LoadedGraph.of(graph, shapes, units, constants));
        int[] byPosition = new int[graph.nodes().size()];
        for (int i = 0; i < found.length; i++) {
            for (OnnxNode node : units.get(i)) {
                byPosition[node.position()] = found[i];
            }
        }
        return Partitioning.of(graph, shapes.order(), partCount, node -> byPosition[node.position()]);
    }

    private int[] divide(List<List<OnnxNode>> units, LoadedGraph loaded) {
        List<OnnxNode> heads = units.stream().map(List::getLast).toList();
        PartRanges ranges = new PartRanges(loaded, heads.stream().mapToInt(this::pin).toArray(), partCount);
        int contradiction = ranges.contradiction();
        if (contradiction != PartRanges.FREE) {
            throw new PartitionException(heads.get(contradiction).label() + " must be in part "
                    + ranges.first(contradiction) + " or later, as " + near(heads, loaded, ranges, contradiction, true)
                    + ", and in part " + ranges.last(contradiction) + " or earlier, as "
                    + near(heads, loaded, ranges, contradiction, false));
        }
        return new AutomaticDivision(loaded, ranges, partCount).find()
                .orElseThrow(() -> new PartitionException("where nodes have been put leaves no division into "
                        + partCount + " parts of which each has a node"));
    }

    private int pin(OnnxNode node) {
        OptionalInt part = pins.apply(node);
        if (part.isEmpty() && isByAnnotation) {
            part = annotation(node);
        }
        if (part.isEmpty() && rules.containsKey(node.qualifiedOperator())) {
            part = OptionalInt.of(rules.get(node.qualifiedOperator()));
        }
        if (part.isPresent() && (part.getAsInt() < 0 || part.getAsInt() >= partCount)) {
            throw new PartitionException(node.label() + " is put into part " + part.getAsInt() + "; parts are 0 to "
                    + (partCount - 1));
        }
        return part.orElse(PartRanges.FREE);
    }

    private static OptionalInt annotation(OnnxNode node) {
        String said = node.metadata().get(METADATA);
        if (said != null) {
            try {
                return OptionalInt.of(Integer.parseInt(said.strip()));
            } catch (NumberFormatException _) {
                throw new PartitionException(node.label() + " has metadata " + METADATA + "='" + said
                        + "', where the number of a part belongs");
            }
        }
        Matcher name = NAME.matcher(node.name());
        return name.matches() ? OptionalInt.of(Integer.parseInt(name.group(1))) : OptionalInt.empty();
    }

    /** The node from which a bound of another comes: along nets, as far as it is the same bound. */
    private static String near(List<OnnxNode> order, LoadedGraph graph, PartRanges ranges, int node, boolean isFirst) {
        int current = node;
        Optional<Integer> next = Optional.of(node);
        while (next.isPresent()) {
            current = next.get();
            int present = current;
            int[] neighbours = Arrays.stream(isFirst ? graph.taken(current) : graph.made(current))
                    .mapToObj(graph::net).flatMapToInt(net -> isFirst ? Arrays.stream(new int[]{net.producer()})
                            : Arrays.stream(net.consumers()))
                    .toArray();
            next = Arrays.stream(neighbours).boxed().filter(each -> isFirst
                    ? ranges.first(each) == ranges.first(present) : ranges.last(each) == ranges.last(present))
                    .findFirst();
        }
        return current == node ? "it has been put there" : order.get(current).label() + " is";
    }
}
