package dev.verbena.graph;

import static dev.verbena.graph.PartialShape.UNKNOWN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

class GraphTest {
    private final Graph graph = new Graph();

    private Graph.Node feed(String name, long... dimensions) {
        return graph.add(name, "a", new Feed(TensorType.of(ElementType.INT32, dimensions)));
    }

    @Test
    void unknownDimensionsFlowThroughShapeFunctions() {
        Graph.Node x = feed("x", UNKNOWN, 12);
        Graph.Node same = graph.add("same", "a", new Identity(), x.output());
        Graph.Node grid = graph.add("grid", "a", new Reshape(PartialShape.of(UNKNOWN, 3, 4)), same.output());
        assertEquals(PartialShape.of(UNKNOWN, 12), same.output().type().shape());
        assertEquals(PartialShape.of(UNKNOWN, 3, 4), grid.output().type().shape());
        assertFalse(grid.output().type().isStatic());
        assertEquals("INT32[?, 3, 4]", grid.output().type().toString());
    }

    @Test
    void reshapeInfersTheDimensionLeftOpen() {
        Graph.Node x = feed("x", 6, 4);
        Graph.Node y = graph.add("y", "a", new Reshape(PartialShape.of(3, UNKNOWN)), x.output());
        assertEquals(PartialShape.of(3, 8), y.output().type().shape());
        assertTrue(y.output().type().isStatic());
    }

    @Test
    void reshapeToAKnownShapeMakesADynamicEdgeStatic() {
        Graph.Node x = feed("x", UNKNOWN, 4);
        Graph.Node y = graph.add("y", "a", new Reshape(Shape.of(2, 2)), x.output());
        assertEquals(PartialShape.of(2, 2), y.output().type().shape());
    }

    @Test
    void reshapeRefusesOtherElementCounts() {
        Graph.Node x = feed("x", 6, 4);
        String message = assertThrows(IllegalArgumentException.class,
                () -> graph.add("y", "a", new Reshape(PartialShape.of(5, UNKNOWN)), x.output())).getMessage();
        assertTrue(message.contains("node 'y' (Reshape)") && message.contains("elementCount=24"), message);
        assertThrows(IllegalArgumentException.class,
                () -> graph.add("y", "a", new Reshape(Shape.of(5)), x.output()));
        assertThrows(IllegalArgumentException.class, () -> new Reshape(PartialShape.of(UNKNOWN, UNKNOWN)));
    }

    @Test
    void wrongArityNamesNodeAndOperation() {
        String message = assertThrows(IllegalArgumentException.class, () -> graph.add("i", "a", new Identity()))
                .getMessage();
        assertEquals("node 'i' (Identity): inputs=0; give exactly 1", message);
    }

    @Test
    void namesAreUniqueAndPlain() {
        feed("x", 1);
        assertThrows(IllegalArgumentException.class, () -> feed("x", 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a->b"})
    void badNamesAreRefused(String name) {
        assertThrows(IllegalArgumentException.class, () -> feed(name, 1));
        assertThrows(IllegalArgumentException.class,
                () -> graph.add("ok", name, new Feed(TensorType.of(ElementType.INT32, 1))));
    }

    @Test
    void inputsMustBeOfThisGraph() {
        Graph.Node foreign = new Graph().add("x", "a", new Feed(TensorType.of(ElementType.INT32, 1)));
        String message = assertThrows(IllegalArgumentException.class,
                () -> graph.add("y", "a", new Identity(), foreign.output())).getMessage();
        assertTrue(message.contains("x:0") && message.contains("'y'"), message);
    }

    @Test
    void mutatedInputMustExist() {
        Operation mutator = new Operation.Synchronous() {
            @Override
            public String name() {
                return "Mutator";
            }

            @Override
            public List<TensorType> infer(List<TensorType> inputs) {
                return List.of();
            }

            @Override
            public int mutatedInput() {
                return 1;
            }

            @Override
            public void compute(KernelContext context) {}
        };
        Graph.Node x = feed("x", 1);
        assertThrows(IllegalArgumentException.class, () -> graph.add("m", "a", mutator, x.output()));
    }

    @Test
    void variablesHaveKnownShapes() {
        assertThrows(IllegalArgumentException.class,
                () -> new Variable(TensorType.of(ElementType.INT32, UNKNOWN), tensor -> {}));
    }

    @Test
    void partialShapesAcceptWhatFits() {
        PartialShape shape = PartialShape.of(UNKNOWN, 3);
        assertTrue(shape.accepts(Shape.of(7, 3)));
        assertFalse(shape.accepts(Shape.of(7, 4)));
        assertFalse(shape.accepts(Shape.of(3)));
        assertThrows(IllegalStateException.class, shape::toShape);
        assertThrows(IllegalArgumentException.class, () -> PartialShape.of(-2));
        assertThrows(IllegalArgumentException.class, () -> PartialShape.of(new long[Shape.RANK_MAX + 1]));
    }
}
