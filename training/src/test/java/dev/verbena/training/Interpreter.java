package dev.verbena.training;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Reshape;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.Variable;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * Runs a graph node by node, wherever they are placed: what a session must amount to, so kernels and graphs can be tested
 * without one.
 */
public final class Interpreter {
    private final Graph graph;
    private final HeapOfTensors heap;
    private final boolean inPlace;
    private final Map<String, Tensor> variables = new HashMap<>();

    /** @param inPlace whether kernels get their input's storage for an output that may take it; the worst case for them */
    public Interpreter(Graph graph, Arena scope, boolean inPlace) {
        this.graph = graph;
        this.heap = new HeapOfTensors(scope);
        this.inPlace = inPlace;
        for (Graph.Node node : graph.nodes()) {
            if (node.operation() instanceof Variable variable) {
                Tensor tensor = heap.allocate(variable.type().elementType(), variable.type().shape().toShape());
                variable.initializer().accept(tensor);
                variables.put(node.name(), tensor);
            }
        }
    }

    public Tensor variable(String name) {
        return variables.get(name);
    }

    /** All outputs by the string of {@link Graph.Output}; steps that change variables come last, as their order demands. */
    public Map<String, Tensor> run(Map<String, Tensor> feeds, List<Graph.Node> targets) {
        Set<Graph.Node> needed = new HashSet<>();
        targets.forEach(target -> need(target, needed));
        Map<String, Tensor> values = new HashMap<>();
        List<Graph.Node> last = new ArrayList<>();
        for (Graph.Node node : graph.nodes()) {
            if (!needed.contains(node)) {
                continue;
            }
            if (node.operation() instanceof Feed) {
                values.put(node.output().toString(), feeds.get(node.name()));
            } else if (node.operation() instanceof Variable) {
                values.put(node.output().toString(), variables.get(node.name()));
            } else if (node.operation() instanceof Reshape reshape) {
                Tensor input = values.get(node.inputs().getFirst().toString());
                values.put(node.output().toString(),
                        input.reshaped(reshape.resolve(SymbolicShape.of(input.shape())).toShape()));
            } else if (!node.operation().mutatedInputs().isEmpty()) {
                last.add(node);
            } else {
                compute(node, values);
            }
        }
        last.forEach(node -> compute(node, values));
        return values;
    }

    private static void need(Graph.Node node, Set<Graph.Node> needed) {
        if (needed.add(node)) {
            node.inputs().forEach(input -> need(input.node(), needed));
        }
    }

    private void compute(Graph.Node node, Map<String, Tensor> values) {
        List<Tensor> inputs = node.inputs().stream().map(input -> values.get(input.toString())).toList();
        boolean mayOverwrite = inPlace && node.inputs().stream().allMatch(this::hasOneUser);
        List<Tensor> outputs = compute(node.name(), node.operation(), inputs, node.outputTypes(), mayOverwrite, heap);
        for (int i = 0; i < outputs.size(); i++) {
            values.put(node.output(i).toString(), outputs.get(i));
        }
    }

    private boolean hasOneUser(Graph.Output output) {
        return !(output.node().operation() instanceof Variable) && graph.nodes().stream()
                .flatMap(node -> node.inputs().stream()).filter(output::equals).count() == 1;
    }

    public static TensorType typeOf(Tensor tensor) {
        return new TensorType(tensor.type(), SymbolicShape.of(tensor.shape()));
    }

    /** One kernel on given inputs; checks that it sets each promised output, of the promised type. */
    public static List<Tensor> compute(String name, Operation operation, List<Tensor> inputs, List<TensorType> types,
            boolean inPlace, HeapOfTensors heap) {
        Tensor[] outputs = new Tensor[types.size()];
        ((Kernel.Synchronous) operation).compute(new Context(name, inputs, outputs, inPlace, heap));
        for (int i = 0; i < outputs.length; i++) {
            if (outputs[i] == null || outputs[i].type() != types.get(i).elementType()
                    || !types.get(i).shape().accepts(outputs[i].shape())) {
                throw new AssertionError(
                        name + " promised " + types.get(i) + " as output " + i + ", set " + outputs[i]);
            }
        }
        return List.of(outputs);
    }

    private record Context(String nodeName, List<Tensor> inputs, Tensor[] outputs, boolean inPlace,
            HeapOfTensors heap) implements KernelContext {
        @Override
        public int inputCount() {
            return inputs.size();
        }

        @Override
        public Tensor input(int index) {
            return inputs.get(index);
        }

        @Override
        public boolean isDead(int input) {
            return false;
        }

        @Override
        public void setDead(int output) {
            throw new UnsupportedOperationException("no branches here");
        }

        @Override
        public Tensor allocateOutput(int index, ElementType type, Shape shape) {
            return outputs[index] = heap.allocate(type, shape);
        }

        @Override
        public Tensor outputInPlace(int index, int input, Shape shape) {
            return inPlace ? forward(index, input, shape) : allocateOutput(index, input(input).type(), shape);
        }

        @Override
        public Tensor forward(int index, int input, Shape shape) {
            return outputs[index] = input(input).reshaped(shape);
        }

        @Override
        public void setOutput(int index, Tensor tensor) {
            outputs[index] = tensor;
        }

        @Override
        public Tensor allocateTemporary(ElementType type, Shape shape) {
            return heap.allocate(type, shape);
        }
    }
}
