package dev.verbena.training.model;

import java.util.List;

import dev.verbena.graph.Graph.Output;
import dev.verbena.training.DataFacts;
import dev.verbena.training.operation.image.Window;

/**
 * AlexNet of EuroSys'19, table 2. There are several; the table's 176.42 MB are those of one tower without local response normalization.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: Krizhevsky, <i>One weird trick for parallelizing convolutional neural networks</i>, 2014; without dropout.
 *
 * @param side of the images it takes; 224 in the paper
 * @param divisor of all widths; 1 in the paper
 */
public record AlexNet(int side, int divisor) implements PhotographModel {
    private static final int HIDDEN = 4096;

    @Override
    public String title() {
        return "alexnet";
    }

    @Override
    public float learningRate() {
        return .0003f;
    }

    @Override
    public List<Output> logits(Layers layers, Output images, DataFacts data) {
        Window three = Window.of(3, 3).padded(1, 1, 1, 1);
        Window pool = Window.of(3, 3).strided(2, 2);
        Output signal = layers.planes("planes", images, requireShape(data));
        signal = convolution(layers, "conv1", signal, 64, Window.of(11, 11).strided(4, 4));
        signal = layers.maxPool("pool1", signal, pool);
        signal = convolution(layers, "conv2", signal, 192, Window.of(5, 5).padded(2, 2, 2, 2));
        signal = layers.maxPool("pool2", signal, pool);
        signal = convolution(layers, "conv3", signal, 384, three);
        signal = convolution(layers, "conv4", signal, 384, three);
        signal = convolution(layers, "conv5", signal, 256, three);
        signal = layers.maxPool("pool5", signal, pool);
        signal = layers.relu("fc6", layers.dense("fc6", layers.flat("flat", signal), HIDDEN / divisor));
        signal = layers.relu("fc7", layers.dense("fc7", signal, HIDDEN / divisor));
        return List.of(layers.dense("fc8", signal, data.classCount()));
    }

    private Output convolution(Layers layers, String name, Output x, int channels, Window window) {
        return layers.relu(name, layers.convolution(name, x, channels / divisor, window));
    }
}
