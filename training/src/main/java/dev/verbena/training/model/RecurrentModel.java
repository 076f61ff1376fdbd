package dev.verbena.training.model;

import java.util.List;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.training.DataFacts;
import dev.verbena.training.Optimizer;
import dev.verbena.training.TrainingData;
import dev.verbena.training.data.SequenceSet;
import dev.verbena.training.operation.MaskedSoftmaxCrossEntropy;

/**
 * Predicts each character of a text from those before it. Its table of characters stays on the server, which looks rows up there: their
 * ids, the rows and their gradient cross, as many as the sequences of the mini-batch are long.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param title what users call it
 * @param isGated whether its layer is a {@link dev.verbena.training.operation.recurrent.Gru}; an {@link dev.verbena.training.operation.recurrent.Lstm} otherwise
 */
record RecurrentModel(String title, boolean isGated) implements Model {
    /** Node names, and the order of the feeds. */
    static final String INPUTS = "inputs";
    static final String LABELS = "labels";
    static final String LENGTHS = "lengths";
    private static final int CHARACTER_WIDTH = 32;
    private static final int STATE_WIDTH = 128;

    @Override
    public Optimizer optimizer() {
        return Optimizer.ADAM;
    }

    @Override
    public float learningRate() {
        return .004f;
    }

    @Override
    public Pass add(Layers layers, TrainingData data, Dimension batch) {
        DataFacts text = data.facts();
        if (!text.isText()) {
            throw new IllegalArgumentException("model=" + title + " takes a text; give a file");
        }
        // The longest of the sequences that are fed together.
        Dimension time = layers.symbol("time");
        TensorType ids = new TensorType(ElementType.INT32, SymbolicShape.of(time, batch));
        Node inputs = layers.feed(INPUTS, ids);
        Node labels = layers.feed(LABELS, ids);
        Node lengths = layers.feed(LENGTHS, new TensorType(ElementType.INT32, SymbolicShape.of(batch)));
        Output x = layers.embedding("characters", inputs.output(), text.classCount(), CHARACTER_WIDTH);
        Output states = isGated
                ? layers.gru("gru", x, STATE_WIDTH, lengths.output())
                : layers.lstm("lstm", x, STATE_WIDTH, lengths.output());
        Output logits = layers.dense("logits", layers.rows("states", states), text.classCount());
        return new Pass(List.of(inputs, labels, lengths), logits,
                layers.add("loss", new MaskedSoftmaxCrossEntropy(SequenceSet.NO_LABEL), logits,
                        layers.rows("labels_in_a_row", labels.output())));
    }
}
