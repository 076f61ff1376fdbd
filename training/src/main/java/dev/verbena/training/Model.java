package dev.verbena.training;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The networks that can be trained: fully connected, with {@link Celu} between the layers.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
enum Model {
    /** One hidden layer; trains on digits in seconds. */
    MLP("mlp", .4f, 256),
    /** FCN-5 of EuroSys'19, table 2: three hidden layers of 4096; on MNIST about 150 MB of parameters. */
    FCN5("fcn5", .02f, 4096, 4096, 4096);

    private final String title;
    private final float learningRate;
    private final int[] hiddenWidths;

    Model(String title, float learningRate, int... hiddenWidths) {
        this.title = title;
        this.learningRate = learningRate;
        this.hiddenWidths = hiddenWidths;
    }

    /** @throws IllegalArgumentException naming the known ones if it is not one of them */
    static Model named(String title) {
        return Arrays.stream(values()).filter(model -> model.title.equals(title)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown model='" + title + "'; known are "
                        + Arrays.stream(values()).map(model -> model.title).collect(Collectors.joining(", "))));
    }

    /** Widths from the input's to the output's: {@code layer l} maps width l - 1 to width l. */
    int[] widths(Dataset data) {
        int[] widths = new int[hiddenWidths.length + 2];
        widths[0] = data.featureCount();
        System.arraycopy(hiddenWidths, 0, widths, 1, hiddenWidths.length);
        widths[widths.length - 1] = data.classCount();
        return widths;
    }

    /** Learns steadily on MNIST and on drawn digits, with joined mini-batches of 32 to 128. */
    float learningRate() {
        return learningRate;
    }

    /** A weight matrix and a bias for each layer. */
    int variableCount() {
        return 2 * (hiddenWidths.length + 1);
    }
}
