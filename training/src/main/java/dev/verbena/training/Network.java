package dev.verbena.training;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Operation;

/**
 * Adds the passes of one network to a graph, on one task: forward, and back from the loss to the gradients.
 *
 * <p><b>Owner:</b> whoever builds the graph. <b>Threading:</b> confined to it.
 */
final class Network {
    private final Graph graph;
    private final String task;
    private final String prefix;
    private final Parameters parameters;
    private final List<Output> variables;

    /**
     * @param prefix of the names of all nodes added, such as {@code worker:0/}
     * @param variables in the order of {@link Parameters#all()}
     */
    Network(Graph graph, String task, String prefix, Parameters parameters, List<Output> variables) {
        this.graph = graph;
        this.task = task;
        this.prefix = prefix;
        this.parameters = parameters;
        this.variables = variables;
    }

    /** The signal in front of each layer, and last the logits. */
    List<Output> forward(Output images) {
        List<Output> signals = new ArrayList<>(List.of(images));
        for (int layer = 0; layer < parameters.layerCount(); layer++) {
            String name = prefix + "layer" + (layer + 1);
            Output product = add(name + "/product", new MatMul(false, false), signals.get(layer), weight(layer));
            Output sum = add(name + "/sum", new AddBias(), product, variables.get(parameters.biasIndex(layer)));
            boolean last = layer == parameters.layerCount() - 1;
            signals.add(last ? sum : add(name + "/activation", new Celu(), sum));
        }
        return signals;
    }

    /** The gradient of each variable, in their order, from that of the logits. */
    List<Output> backward(List<Output> signals, Output logitsGradient) {
        List<Output> gradients = new ArrayList<>(Collections.nCopies(variables.size(), null));
        Output behind = logitsGradient;
        for (int layer = parameters.layerCount() - 1; layer >= 0; layer--) {
            String name = prefix + "layer" + (layer + 1);
            gradients.set(parameters.weightIndex(layer),
                    add(name + "/weight_gradient", new MatMul(true, false), signals.get(layer), behind));
            gradients.set(parameters.biasIndex(layer), add(name + "/bias_gradient", new ReduceRows(), behind));
            if (layer > 0) {
                Output before = add(name + "/input_gradient", new MatMul(false, true), behind, weight(layer));
                behind = add(name + "/activation_gradient", new CeluGradient(), before, signals.get(layer));
            }
        }
        return gradients;
    }

    private Output weight(int layer) {
        return variables.get(parameters.weightIndex(layer));
    }

    private Output add(String name, Operation operation, Output... inputs) {
        return graph.add(name, task, operation, inputs).output();
    }
}
