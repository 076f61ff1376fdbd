package dev.verbena.training.model;

import java.util.List;

import dev.verbena.graph.Graph.Output;
import dev.verbena.training.DataFacts;

/**
 * Layers that each see all of the one before, with {@link dev.verbena.training.operation.Celu} between them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param hiddenWidths of the layers but the last
 */
public record FullyConnected(String title, float learningRate, int... hiddenWidths) implements ImageModel {
    @Override
    public List<Output> logits(Layers layers, Output images, DataFacts data) {
        Output signal = images;
        for (int i = 0; i < hiddenWidths.length; i++) {
            String name = "layer" + (i + 1);
            signal = layers.celu(name, layers.dense(name, signal, hiddenWidths[i]));
        }
        return List.of(layers.dense("layer" + (hiddenWidths.length + 1), signal, data.classCount()));
    }
}
