package dev.verbena.graph.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxAttribute;
import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.OnnxTensor;
import dev.verbena.graph.onnx.ShapeInference;
import dev.verbena.graph.onnx.ValueInfo;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

class PartitionFiguresTest {
    @Test
    void memoryIsThatOfWhatLives() {
        // a: x 8 + a 16; b: and 32; c: x, a, b and c 64 = 120; d: x, a until then, c, d 4, with b gone but for its being a result.
        TestGraph graph = new TestGraph().input("x", 8).weights("w", 100).node("a", 16, "x,w").node("b", 32, "a")
                .node("c", 64, "b,w").node("d", 4, "a,c").output("b").output("d");
        PartFigures one = figures(graph, Map.of(), 1).parts().getFirst();
        assertEquals(8 + 16 + 32 + 64 + 4, one.peakBytes());
        assertEquals("d", one.peakNode().name());
        assertEquals(100, one.weightBytes());
        assertEquals(0, one.sentBytes() + one.receivedBytes() + one.unsizedCount());
        PartitionFigures two = figures(graph, Map.of("c", 1, "d", 1), 2);
        assertEquals(List.of(16L, 32L), two.crossings().stream().map(each -> each.byteSize().orElseThrow()).toList());
        assertEquals(List.of(48L, 0L), two.parts().stream().map(PartFigures::sentBytes).toList());
        assertEquals(List.of(0L, 48L), two.parts().stream().map(PartFigures::receivedBytes).toList());
        assertEquals(List.of(56L, 48L + 64 + 4), two.parts().stream().map(PartFigures::peakBytes).toList());
        assertEquals(List.of(100L, 100L), two.parts().stream().map(PartFigures::weightBytes).toList());
    }

    @Test
    void whatIsDeadIsNotCounted() {
        TestGraph graph = new TestGraph().input("x", 1).node("a", 100, "x").node("b", 10, "a").node("c", 100, "b")
                .node("d", 1, "c").output("d");
        assertEquals(1 + 100 + 10, figures(graph, Map.of(), 1).parts().getFirst().peakBytes());
    }

    @Test
    void whatNodesMakeOfConstantsIsWeights() {
        TestGraph graph = new TestGraph().input("x", 8).weights("w", 100).weights("v", 50)
                .foreignNode("", "Identity", "c", 100, "w").foreignNode("", "Identity", "d", 50, "v")
                .node("a", 16, "x,c").node("b", 16, "a,d").output("b");
        PartitionFigures two = PartitionFigures.of(graph.graph(), graph.infer(),
                Partitioner.into(2).partition(graph.graph(), graph.infer()));
        assertEquals(List.of("a"), two.crossings().stream().map(each -> each.crossing().tensor()).toList());
        assertEquals(List.of(200L, 100L), two.parts().stream().map(PartFigures::weightBytes).toList());
        assertEquals(List.of(24L, 32L), two.parts().stream().map(PartFigures::peakBytes).toList());
    }

    @Test
    void protocolsHaveReasons() {
        OnnxModel model = convolution();
        InferredShapes open = ShapeInference.of(model).infer();
        Partitioning parts = Partitioning.of(model.graph(), open.order(), 2, node -> node.position() < 1 ? 0 : 1);
        CrossingFigures symbolic = PartitionFigures.of(model.graph(), open, parts).crossings().getFirst();
        assertEquals(CrossingProtocol.DYNAMIC_ALLOCATION, symbolic.protocol());
        assertEquals("the model's inputs decide N", symbolic.reason());
        assertEquals(OptionalLong.empty(), symbolic.byteSize());
        InferredShapes bound = ShapeInference.of(model).withSymbol("N", 2).infer();
        PartitionFigures figures = PartitionFigures.of(model.graph(), bound, parts);
        assertEquals(CrossingProtocol.STATIC_PLACEMENT, figures.crossings().getFirst().protocol());
        assertEquals("its shape is known before the run: [2, 4, 6, 6]", figures.crossings().getFirst().reason());
        assertEquals(2 * 4 * 36 * 4, figures.crossings().getFirst().byteSize().orElseThrow());
        // Products of 3 * 3 * 3 for each element, and the other node's operator is not known.
        assertEquals(List.of(Dimension.of(2 * 27 * 2 * 4 * 36), Dimension.of(0)),
                figures.parts().stream().map(PartFigures::operations).toList());
        assertEquals(List.of("strange"),
                figures.parts().get(1).uncounted().stream().map(OnnxNode::name).toList());
        assertEquals(1, figures.parts().get(1).unsizedCount());
        assertEquals("7776*N", PartitionFigures.of(model.graph(), open, parts).parts().getFirst().operations()
                .toString());
    }

    private static OnnxModel convolution() {
        List<Optional<Dimension>> shape = List.of(Optional.of(Dimension.symbol("N")), Optional.of(Dimension.of(3)),
                Optional.of(Dimension.of(8)), Optional.of(Dimension.of(8)));
        ValueInfo input = new ValueInfo("x", "FLOAT", Optional.of(ElementType.FLOAT32), Optional.of(shape), true);
        OnnxTensor weights = new OnnxTensor("w", ElementType.FLOAT32.code(), Shape.of(4, 3, 3, 3), Optional.empty(),
                Optional.empty());
        OnnxNode convolution = new OnnxNode(0, "conv", "", "Conv", List.of("x", "w"), List.of("y"),
                Map.of("strides", new OnnxAttribute("strides", OnnxAttribute.Kind.INTEGERS, new long[]{1, 1})),
                Set.of(), Map.of());
        OnnxNode strange = new OnnxNode(1, "strange", "mine", "Strange", List.of("y"), List.of("z"), Map.of(),
                Set.of(), Map.of());
        return new OnnxModel(8, "test", Map.of("", 13L), new OnnxGraph("test", List.of(convolution, strange),
                Map.of("w", weights), List.of(input), List.of(), List.of()), Set.of());
    }

    private static PartitionFigures figures(TestGraph graph, Map<String, Integer> parts, int partCount) {
        OnnxGraph made = graph.graph();
        InferredShapes shapes = graph.infer();
        return PartitionFigures.of(made, shapes,
                Partitioning.of(made, shapes.order(), partCount, node -> parts.getOrDefault(node.name(), 0)));
    }
}
