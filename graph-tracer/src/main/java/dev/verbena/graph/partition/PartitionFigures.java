package dev.verbena.graph.partition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.TensorFacts;

/**
 * What a model in parts will move and take, as far as that is known before the run.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param crossings in the order in which they are made
 * @param parts in their order
 */
public record PartitionFigures(List<CrossingFigures> crossings, List<PartFigures> parts) {
    /** Copies both lists, in which nothing may be null. */
    public PartitionFigures {
        crossings = List.copyOf(crossings);
        parts = List.copyOf(parts);
    }

    /** @param shapes what has been inferred of the graph that was divided */
    public static PartitionFigures of(OnnxGraph graph, InferredShapes shapes, Partitioning partitioning) {
        List<CrossingFigures> crossings = partitioning.crossings().stream()
                .map(crossing -> crossing(crossing, shapes.tensor(crossing.tensor()))).toList();
        Constants constants = new Constants(graph, shapes.order());
        return new PartitionFigures(crossings, partitioning.parts().stream()
                .map(part -> part(graph, shapes, part, crossings, constants)).toList());
    }

    private static CrossingFigures crossing(Crossing crossing, TensorFacts facts) {
        Optional<String> dynamic = facts.whyDynamic();
        return new CrossingFigures(crossing, facts,
                dynamic.isEmpty() ? CrossingProtocol.STATIC_PLACEMENT : CrossingProtocol.DYNAMIC_ALLOCATION,
                Estimates.byteSize(facts),
                dynamic.orElseGet(() -> "its shape is known before the run: " + facts.shape().get()));
    }

    private static PartFigures part(OnnxGraph graph, InferredShapes shapes, Part part,
            List<CrossingFigures> crossings, Constants constants) {
        Dimension operations = Dimension.of(0);
        List<OnnxNode> uncounted = new ArrayList<>();
        for (OnnxNode node : part.nodes()) {
            Optional<Dimension> count = constants.contains(node) ? Optional.of(Dimension.of(0))
                    : NodeWork.of(node, shapes);
            if (count.isPresent() && !count.get().isUnknown()) {
                operations = operations.plus(count.get());
            } else {
                uncounted.add(node);
            }
        }
        long received = 0;
        long sent = 0;
        for (CrossingFigures each : crossings) {
            Crossing crossing = each.crossing();
            long byteSize = each.byteSize().orElse(0);
            received += crossing.consumerParts().contains(part.index()) ? byteSize : 0;
            sent += crossing.producerPart() == part.index() ? byteSize * crossing.consumerParts().size() : 0;
        }
        Liveness liveness = new Liveness(shapes, part, constants);
        long weights = part.initializers().stream().map(graph.initializers()::get).mapToLong(Estimates::byteSize).sum()
                + part.nodes().stream().filter(constants::contains).flatMap(node -> node.outputs().stream())
                        .filter(output -> !output.isEmpty())
                        .mapToLong(output -> Estimates.byteSize(shapes.tensor(output)).orElse(0)).sum();
        return new PartFigures(part, weights, liveness.peakBytes, liveness.peakNode, liveness.unsized.size(), received,
                sent, operations, uncounted);
    }

    /** What is alive while each node of a part runs. */
    private static final class Liveness {
        private final InferredShapes shapes;
        private final Set<String> unsized = new HashSet<>();
        private long peakBytes = -1;
        private OnnxNode peakNode;

        Liveness(InferredShapes shapes, Part part, Constants constants) {
            this.shapes = shapes;
            Set<String> weights = new HashSet<>();
            part.nodes().stream().filter(constants::contains).forEach(node -> weights.addAll(node.outputs()));
            long live = Stream.concat(part.feeds().stream(), part.receives().stream()).mapToLong(this::byteSize).sum();
            Set<String> kept = new HashSet<>(part.sends());
            kept.addAll(part.results());
            Map<String, OnnxNode> lastUsers = new HashMap<>();
            for (OnnxNode node : part.nodes()) {
                node.outputs().forEach(output -> lastUsers.put(output, node));
                node.needs().stream().filter(lastUsers::containsKey)
                        .forEach(input -> lastUsers.put(input, node));
            }
            Map<OnnxNode, List<String>> endings = new IdentityHashMap<>();
            lastUsers.forEach((name, node) -> endings.computeIfAbsent(node, none -> new ArrayList<>()).add(name));
            for (OnnxNode node : part.nodes()) {
                live += node.outputs().stream().filter(name -> !weights.contains(name)).mapToLong(this::byteSize)
                        .sum();
                if (live > peakBytes) {
                    peakBytes = live;
                    peakNode = node;
                }
                live -= endings.getOrDefault(node, List.of()).stream()
                        .filter(name -> !kept.contains(name) && !weights.contains(name))
                        .mapToLong(this::byteSize).sum();
            }
        }

        private long byteSize(String tensor) {
            if (tensor.isEmpty()) {
                return 0;
            }
            OptionalLong byteSize = Estimates.byteSize(shapes.tensor(tensor));
            if (byteSize.isEmpty()) {
                unsized.add(tensor);
            }
            return byteSize.orElse(0);
        }
    }
}
