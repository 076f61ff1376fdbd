package dev.verbena.training.model;

import java.util.List;
import java.util.stream.Collectors;

import dev.verbena.graph.Dimension;
import dev.verbena.training.Dataset;
import dev.verbena.training.Optimizer;
import dev.verbena.training.TrainingData;

/**
 * A network that can be trained: what it computes, with variables that come into being with the layers that have them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public interface Model {
    /** FCN-5 of EuroSys'19, table 2: five layers, the four hidden ones of 4096; on MNIST 10 variables of 204.47 MiB together. */
    Model FCN5 = new FullyConnected("fcn5", .02f, 4096, 4096, 4096, 4096);
    /** Likewise, each with the variables and bytes of that table for ten classes. */
    Model ALEXNET = new AlexNet(224, 1);
    Model VGG16 = new VggNet16(224, 1);
    Model INCEPTION3 = new InceptionV3(299, 1);
    /** In the order in which users are told of them. */
    List<Model> ALL = List.of(new FullyConnected("mlp", .4f, 256), FCN5, new Cnn(), ALEXNET, VGG16, INCEPTION3,
            new RecurrentModel("lstm", false),
            new RecurrentModel("gru", true));

    /** What users call it. */
    String title();

    /** What it can be trained on where the user has nothing; drawn when its pixels are first needed. */
    default Dataset synthetic(long seed) {
        return Dataset.synthetic(seed);
    }

    /** How its variables are changed where the user says nothing. */
    Optimizer optimizer();

    /** Learns steadily with it and its own optimizer, with joined mini-batches of 32 to 128. */
    float learningRate();

    /**
     * Adds it to a graph, forward, with the feeds and the loss.
     *
     * @param batch examples in a mini-batch; a symbol where there may be any number, for which there are no gradients
     * @throws IllegalArgumentException if it cannot take such data; the message says what it takes
     */
    Pass add(Layers layers, TrainingData data, Dimension batch);

    /** @throws IllegalArgumentException naming the known ones if it is not one of them */
    static Model named(String title) {
        return ALL.stream().filter(model -> model.title().equals(title)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown model='" + title + "'; known are "
                        + ALL.stream().map(Model::title).collect(Collectors.joining(", "))));
    }
}
