package dev.verbena.training.model;

import java.util.List;

import dev.verbena.graph.Graph.Output;
import dev.verbena.training.DataFacts;
import dev.verbena.training.ImageShape;
import dev.verbena.training.operation.image.Window;

/**
 * Two convolutions of 5 x 5, each with a pooling behind it, and two layers that see all of it: LeNet-5 with the activations of today.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: LeCun, Bottou, Bengio, Haffner, <i>Gradient-based learning applied to document recognition</i>, 1998, §II.B.
 */
record Cnn() implements ImageModel {
    private static final int SIDE_MIN = 12;

    @Override
    public String title() {
        return "cnn";
    }

    @Override
    public float learningRate() {
        return .1f;
    }

    @Override
    public List<Output> logits(Layers layers, Output images, DataFacts data) {
        ImageShape shape = data.image();
        if (Math.min(shape.rows(), shape.columns()) < SIDE_MIN) {
            throw new IllegalArgumentException("model=cnn takes images of at least " + SIDE_MIN + "x" + SIDE_MIN
                    + ", and these have " + shape.rows() + "x" + shape.columns());
        }
        Output signal = layers.planes("planes", images, shape);
        Window same = Window.of(5, 5).padded(2, 2, 2, 2);
        Window half = Window.of(2, 2).strided(2, 2);
        signal = layers.maxPool("pool1", layers.relu("conv1", layers.convolution("conv1", signal, 16, same)), half);
        signal = layers.maxPool("pool2", layers.relu("conv2", layers.convolution("conv2", signal, 32, same)), half);
        signal = layers.relu("hidden", layers.dense("hidden", layers.flat("flat", signal), 128));
        return List.of(layers.dense("logits", signal, data.classCount()));
    }
}
