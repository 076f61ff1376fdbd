package dev.verbena.training;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.Variable;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
import dev.verbena.training.operation.ApplyAdam;
import dev.verbena.training.operation.ApplyMomentum;
import dev.verbena.training.operation.ApplySgd;

/**
 * How variables are changed by their gradients. What one remembers lies in variables of its own, beside the one that it changes.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Optimizer {
    /** Stochastic gradient descent. */
    SGD(.1f) {
        @Override
        Node addStep(Graph graph, Output variable, List<Output> gradients, float learningRate, Restoring restoring) {
            return step(graph, variable, new ApplySgd(learningRate), List.of(), gradients);
        }
    },
    /** The same with a momentum of 0.9. */
    MOMENTUM(.01f) {
        @Override
        Node addStep(Graph graph, Output variable, List<Output> gradients, float learningRate, Restoring restoring) {
            return step(graph, variable, new ApplyMomentum(learningRate, .9f),
                    List.of(zeros(graph, restoring, variable, "velocity", variable.type())), gradients);
        }
    },
    /** Adam, with the constants that its authors recommend. */
    ADAM(.002f) {
        @Override
        Node addStep(Graph graph, Output variable, List<Output> gradients, float learningRate, Restoring restoring) {
            return step(graph, variable, new ApplyAdam(learningRate),
                    List.of(zeros(graph, restoring, variable, "moment1", variable.type()),
                            zeros(graph, restoring, variable, "moment2", variable.type()),
                            zeros(graph, restoring, variable, "count", TensorType.of(ElementType.INT64))),
                    gradients);
        }
    };

    private final float learningRate;

    Optimizer(float learningRate) {
        this.learningRate = learningRate;
    }

    /** What it begins with where the model says nothing. */
    float learningRate() {
        return learningRate;
    }

    /** What a variable of that name begins with, where nothing of it was kept. */
    @FunctionalInterface
    interface Restoring {
        Consumer<Tensor> initializer(String variable, Consumer<Tensor> otherwise);
    }

    /** Adds the node that changes a variable by the mean of its gradients, where the variable is. */
    abstract Node addStep(Graph graph, Output variable, List<Output> gradients, float learningRate,
            Restoring restoring);

    private static Node step(Graph graph, Output variable, Operation operation, List<Output> states,
            List<Output> gradients) {
        List<Output> inputs = new ArrayList<>(List.of(variable));
        inputs.addAll(states);
        inputs.addAll(gradients);
        return graph.add(variable.node().name() + "/step", variable.node().task(), operation,
                inputs.toArray(Output[]::new));
    }

    private static Output zeros(Graph graph, Restoring restoring, Output variable, String name, TensorType type) {
        String full = variable.node().name() + "/" + name;
        Variable state = new Variable(type, restoring.initializer(full, tensor -> tensor.memory().fill((byte) 0)));
        return graph.add(full, variable.node().task(), state).output();
    }

    /** What users call it. */
    public String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException naming the known ones if it is not one of them */
    public static Optimizer named(String title) {
        return Arrays.stream(values()).filter(each -> each.title().equals(title)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown optimizer='" + title + "'; known are "
                        + Arrays.stream(values()).map(Optimizer::title).collect(Collectors.joining(", "))));
    }
}
