package dev.verbena.training.model;

import java.util.List;

import dev.verbena.graph.Graph.Output;
import dev.verbena.training.DataFacts;
import dev.verbena.training.operation.image.Window;

/**
 * VGGNet-16 of EuroSys'19, table 2: thirteen convolutions of 3 x 3 in five blocks, and three layers that see all of it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: Simonyan, Zisserman, <i>Very deep convolutional networks for large-scale image recognition</i>, 2015, configuration D; without
 * dropout.
 *
 * @param side of the images it takes; 224 in the paper
 * @param divisor of all widths; 1 in the paper
 */
public record VggNet16(int side, int divisor) implements PhotographModel {
    /** Channels of the convolutions between two poolings. */
    private static final int[][] BLOCKS = {{64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};
    private static final int HIDDEN = 4096;

    @Override
    public String title() {
        return "vgg16";
    }

    @Override
    public float learningRate() {
        return .0002f;
    }

    @Override
    public List<Output> logits(Layers layers, Output images, DataFacts data) {
        Output signal = layers.planes("planes", images, requireShape(data));
        Window same = Window.of(3, 3).padded(1, 1, 1, 1);
        Window half = Window.of(2, 2).strided(2, 2);
        for (int block = 0; block < BLOCKS.length; block++) {
            for (int layer = 0; layer < BLOCKS[block].length; layer++) {
                String name = "conv" + (block + 1) + "." + (layer + 1);
                signal = layers.relu(name, layers.convolution(name, signal, BLOCKS[block][layer] / divisor, same));
            }
            signal = layers.maxPool("pool" + (block + 1), signal, half);
        }
        signal = layers.relu("fc6", layers.dense("fc6", layers.flat("flat", signal), HIDDEN / divisor));
        signal = layers.relu("fc7", layers.dense("fc7", signal, HIDDEN / divisor));
        return List.of(layers.dense("fc8", signal, data.classCount()));
    }
}
