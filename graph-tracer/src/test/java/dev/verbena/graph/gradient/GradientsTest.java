package dev.verbena.graph.gradient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Reshape;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import org.junit.jupiter.api.Test;

/** What is appended, where, and what is said of graphs that have no gradient. */
class GradientsTest {
    private final Graph graph = new Graph();
    private final Output x = graph.add("x", "server", new Feed(Scalars.SCALAR)).output();
    private final Output y = graph.add("y", "worker", new Feed(Scalars.SCALAR)).output();

    @Test
    void nodesRunWhereTheNodeRunsThatTheyLeadThrough() {
        Output product = add("product", "worker", new Scalars.Product(), x, y);
        Output loss = add("loss", "other", new Scalars.HalfSquare(), product);
        Output gradient = Gradients.append(graph, loss, List.of(x), Scalars.RULES).getFirst();
        assertEquals("product/gradient_0", gradient.node().name());
        assertEquals("worker", gradient.node().task());
        assertEquals(List.of(loss.node().output(1), y), gradient.node().inputs());
    }

    /** So a variable that a control input changes is to the gradient's node what it was to the node. Nothing goes back along control inputs. */
    @Test
    void nodesWaitForWhatTheNodeWaitsForThatTheyLeadThrough() {
        Graph.Node first = graph.add("first", "other", new Scalars.Negation(), y);
        Output product = graph.add("product", "worker", new Scalars.Product(), List.of(x, y), List.of(first)).output();
        Output loss = add("loss", "other", new Scalars.HalfSquare(), product);
        Output gradient = Gradients.append(graph, loss, List.of(x), Scalars.RULES).getFirst();
        assertEquals("product/gradient_0", gradient.node().name());
        assertEquals(List.of(first), gradient.node().controlInputs());
        Output alone = add("alone", "worker", new Scalars.HalfSquare(), y);
        Output behind = graph.add("behind", "worker", new Scalars.HalfSquare(), List.of(x), List.of(alone.node()))
                .output();
        assertEquals("loss behind:0 does not depend on y:0", refused(behind, y, Scalars.RULES));
    }

    @Test
    void whatNobodyAsksForIsNotAppended() {
        Output aside = add("aside", "worker", new Scalars.Floor(), x);
        Output product = add("product", "worker", new Scalars.Product(), x, y);
        Output loss = add("loss", "worker", new Scalars.HalfSquare(), product);
        add("behind", "worker", new Scalars.Sum(), loss, aside);
        int before = graph.nodes().size();
        Gradients.append(graph, loss, List.of(y), Scalars.RULES);
        assertEquals(List.of("product/gradient_1"),
                graph.nodes().subList(before, graph.nodes().size()).stream().map(Graph.Node::name).toList());
    }

    @Test
    void whatSeveralReadersSendBackIsSummedOnceTheLastReaderFirst() {
        Output square = add("square", "worker", new Scalars.Product(), x, x);
        Output minus = add("minus", "worker", new Scalars.Negation(), x);
        Output loss = add("loss", "worker", new Scalars.HalfSquare(),
                add("sum", "worker", new Scalars.Sum(), square, minus));
        Output gradient = Gradients.append(graph, loss, List.of(x, x), Scalars.RULES).getFirst();
        assertEquals("minus/sum_0", gradient.node().name());
        assertEquals(List.of("minus/gradient", "square/gradient_0", "square/gradient_1"),
                gradient.node().inputs().stream().map(input -> input.node().name()).toList());
    }

    @Test
    void aReshapesGradientHasTheShapeBefore() {
        Output matrix = graph
                .add("matrix", "task", new Feed(new TensorType(ElementType.FLOAT64, SymbolicShape.of(
                        Dimension.symbol("batch"), Dimension.of(6)))))
                .output();
        Output image = add("image", "task", new Reshape(SymbolicShape.of(Dimension.symbol("batch"), Dimension.of(2),
                Dimension.of(3))), matrix);
        Output loss = add("loss", "task", new Total(), image);
        GradientRules rules = Scalars.RULES.with(Total.class, (total, node) -> node.give(0, node.output(1)));
        Output gradient = Gradients.append(graph, loss, List.of(matrix), rules).getFirst();
        assertEquals(matrix.type(), gradient.type());
        assertEquals("image/input_gradient", gradient.node().name());
    }

    @Test
    void anOperationWithoutRuleIsNamed() {
        Output floor = add("floor", "worker", new Scalars.Floor(), x);
        Output loss = add("loss", "worker", new Scalars.HalfSquare(), floor);
        assertEquals("node 'floor' (Floor) is between loss loss:0 and what it is derived by, and there is no gradient"
                + " rule for dev.verbena.graph.gradient.Scalars$Floor; give one by GradientRules.with",
                refused(loss, x, Scalars.RULES));
    }

    @Test
    void whatTheLossDoesNotDependOnIsNamed() {
        Output loss = add("loss", "worker", new Scalars.HalfSquare(), x);
        assertEquals("loss loss:0 does not depend on y:0", refused(loss, y, Scalars.RULES));
    }

    @Test
    void aLossIsAScalarWhoseRuleKnowsItsDerivative() {
        Output matrix = graph.add("matrix", "task", new Feed(TensorType.of(ElementType.FLOAT64, 2, 3))).output();
        assertEquals("loss matrix:0 is FLOAT64[2, 3]; give a scalar", refused(matrix, matrix, Scalars.RULES));
        Output sum = add("sum", "task", new Scalars.Sum(), x, y);
        assertEquals("node 'sum' (Sum): it is the loss, of which its rule knows no derivative; give a loss whose rule"
                + " does", refused(sum, x, Scalars.RULES));
    }

    @Test
    void aRulesMistakesAreNamed() {
        Output minus = add("minus", "task", new Scalars.Negation(), x);
        Output loss = add("loss", "task", new Scalars.HalfSquare(), minus);
        assertEquals("node 'minus' (Negation): the gradient minus/wide:0 of input 0 is FLOAT64[1] and the input"
                + " FLOAT64[]",
                refused(loss, x, Scalars.RULES.with(Scalars.Negation.class,
                        (negation, node) -> node.give(0, node.add("wide", new Reshape(Shape.of(1)),
                                node.gradient(0))))));
        assertEquals("node 'minus' (Negation): the gradient of input 0 is given twice, as loss:1 and as loss:1",
                refused(loss, x, Scalars.RULES.with(Scalars.Negation.class, (negation, node) -> {
                    node.give(0, node.gradient(0));
                    node.give(0, node.gradient(0));
                })));
    }

    private String refused(Output loss, Output by, GradientRules rules) {
        return assertThrows(IllegalArgumentException.class,
                () -> Gradients.append(graph, loss, List.of(by), rules)).getMessage();
    }

    private Output add(String name, String task, Operation operation, Output... inputs) {
        return graph.add(name, task, operation, inputs).output();
    }

    /** A scalar of a tensor, and its gradient. */
    private record Total() implements Scalars.Scalar {
        @Override
        public double[] of(double... x) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            return List.of(Scalars.SCALAR, inputs.getFirst());
        }
    }
}
