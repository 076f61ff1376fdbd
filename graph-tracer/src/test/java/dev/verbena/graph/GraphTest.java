package dev.verbena.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

class GraphTest {

    private final Graph graph = new Graph();
    private static final Dimension N = Dimension.symbol("N");

    private Graph.Node feed(String name, long... dimensions) {
        return feed(name, SymbolicShape.of(dimensions));
    }

    private Graph.Node feed(String name, SymbolicShape shape) {
        return graph.add(name, "a", new Feed(new TensorType(ElementType.INT32, shape)));
    }

    private static SymbolicShape shape(Object... dimensions) {
        return new SymbolicShape(Stream.of(dimensions)
                .map(each -> each instanceof Dimension dimension ? dimension : Dimension.of((int) each)).toList());
    }

    @Test
    void unknownDimensionsFlowThroughShapeFunctions() {
        Graph.Node x = feed("x", shape(N, 12));
        Graph.Node same = graph.add("same", "a", new Identity(), x.output());
        Graph.Node grid = graph.add("grid", "a", new Reshape(shape(Dimension.symbol("rest"), 3, 4)), same.output());
        assertEquals(shape(N, 12), same.output().type().shape());
        assertEquals(shape(N, 3, 4), grid.output().type().shape());
        assertFalse(grid.output().type().isStatic());
        assertEquals("INT32[N, 3, 4]", grid.output().type().toString());
    }

    @Test
    void reshapeInfersTheDimensionLeftOpen() {
        Graph.Node x = feed("x", 6, 4);
        Graph.Node y = graph.add("y", "a", new Reshape(shape(3, N)), x.output());
        assertEquals(shape(3, 8), y.output().type().shape());
        assertTrue(y.output().type().isStatic());
    }

    @Test
    void reshapeToAKnownShapeMakesADynamicEdgeStatic() {
        Graph.Node x = feed("x", shape(N, 4));
        Graph.Node y = graph.add("y", "a", new Reshape(Shape.of(2, 2)), x.output());
        assertEquals(SymbolicShape.of(2, 2), y.output().type().shape());
    }

    @Test
    void reshapeRefusesOtherElementCounts() {
        Graph.Node x = feed("x", 6, 4);
        String message = assertThrows(IllegalArgumentException.class,
                () -> graph.add("y", "a", new Reshape(shape(5, N)), x.output())).getMessage();
        assertTrue(message.contains("node 'y' (Reshape)") && message.contains("elementCount=24"), message);
        assertThrows(IllegalArgumentException.class,
                () -> graph.add("y", "a", new Reshape(Shape.of(5)), x.output()));
        assertThrows(IllegalArgumentException.class, () -> new Reshape(shape(N, Dimension.symbol("M"))));
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
    void controlInputsAreEarlierNodesOfThisGraphEachOnce() {
        Graph.Node x = feed("x", 1);
        Graph.Node y = feed("y", 1);
        Graph.Node z = graph.add("z", "b", new Identity(), List.of(x.output()), List.of(y, x, y));
        assertEquals(List.of(y, x), z.controlInputs());
        assertEquals(List.of(), graph.add("z2", "b", new Identity(), x.output()).controlInputs());
        assertEquals(Set.of(), graph.readers(y.output()), "who waits reads nothing");
        Graph.Node foreign = new Graph().add("x", "a", new Feed(TensorType.of(ElementType.INT32, 1)));
        assertEquals("control input 'x' of node 'y2' is not of this graph", assertThrows(IllegalArgumentException.class,
                () -> graph.add("y2", "a", new Identity(), List.of(x.output()), List.of(foreign))).getMessage());
        assertTrue(graph.find("y2").isEmpty());
    }

    @Test
    void mutatedInputsMustExist() {
        Operation mutator = new TestOperations.Mutator("Mutator", Set.of(0, 1));
        Graph.Node x = feed("x", 1);
        assertThrows(IllegalArgumentException.class, () -> graph.add("m", "a", mutator, x.output()));
    }

    @Test
    void anInputThatIsOverwrittenMustExist() {
        Operation constant = new Operation() {
            @Override
            public String name() {
                return "Constant";
            }

            @Override
            public List<TensorType> infer(List<TensorType> inputs) {
                return List.of(TensorType.of(ElementType.INT32, 1));
            }

            @Override
            public int inPlaceInput(int output) {
                return 0;
            }
        };
        String message = assertThrows(IllegalArgumentException.class, () -> graph.add("c", "a", constant)).getMessage();
        assertEquals("node 'c' (Constant) says inPlaceInput=0 of output 0 but has inputs=0", message);
    }

    @Test
    void variablesHaveKnownShapes() {
        assertThrows(IllegalArgumentException.class,
                () -> new Variable(new TensorType(ElementType.INT32, shape(N)), tensor -> {}));
    }

    @Test
    void shapesAcceptWhatFits() {
        SymbolicShape shape = shape(N, 3);
        assertTrue(shape.accepts(Shape.of(7, 3)));
        assertFalse(shape.accepts(Shape.of(7, 4)));
        assertFalse(shape.accepts(Shape.of(3)));
        assertTrue(shape(N, N.times(Dimension.of(2))).accepts(Shape.of(4, 8)));
        assertFalse(shape(N, N.times(Dimension.of(2))).accepts(Shape.of(4, 9)));
        assertFalse(shape(N, N).accepts(Shape.of(4, 5)));
        assertTrue(shape(Dimension.unknown("found", "the run tells")).accepts(Shape.of(9)));
        assertThrows(IllegalStateException.class, shape::toShape);
        assertThrows(IllegalArgumentException.class, () -> SymbolicShape.of(-2));
        assertThrows(IllegalArgumentException.class, () -> SymbolicShape.of(new long[Shape.RANK_MAX + 1]));
    }

    @Test
    void whatASymbolIsOneTensorTellsTheOthers() {
        Map<String, Long> numbers = new HashMap<>();
        assertTrue(shape(N, 3).accepts(Shape.of(7, 3), numbers));
        assertEquals(Map.of("N", 7L), numbers);
        assertTrue(shape(N).accepts(Shape.of(7), numbers));
        assertFalse(shape(N).accepts(Shape.of(8), numbers));
        Dimension given = Dimension.unknown("?", "the expression is too long");
        Dimension up = Dimension.unknown("?", "the expression is too long");
        assertTrue(shape(given, up).accepts(Shape.of(4, 5), numbers), "each is another one");
        assertEquals(Map.of("N", 7L), numbers);
    }
}
