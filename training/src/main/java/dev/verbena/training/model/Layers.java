package dev.verbena.training.model;

import java.util.function.Function;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Reshape;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.training.ImageShape;
import dev.verbena.training.operation.AddBias;
import dev.verbena.training.operation.Celu;
import dev.verbena.training.operation.Embedding;
import dev.verbena.training.operation.MatMul;
import dev.verbena.training.operation.Relu;
import dev.verbena.training.operation.Ones;
import dev.verbena.training.operation.image.AveragePool;
import dev.verbena.training.operation.image.BatchNormalization;
import dev.verbena.training.operation.image.ChannelBias;
import dev.verbena.training.operation.image.ChannelConcat;
import dev.verbena.training.operation.image.Convolution;
import dev.verbena.training.operation.image.MaxPool;
import dev.verbena.training.operation.image.Window;
import dev.verbena.training.operation.recurrent.Gru;
import dev.verbena.training.operation.recurrent.Lstm;

/**
 * Adds the layers of a model to a graph, on one task, forward only; gradients follow from them by {@link Rules}. A layer's variables have
 * its name and more behind it.
 *
 * <p><b>Owner:</b> whoever builds the graph. <b>Threading:</b> confined to it.
 */
public final class Layers {
    private static final Dimension REST = Dimension.symbol("rest");

    /** What keeps a division by a variance from being one by 0: that of Inception-v3. */
    private static final double EPSILON = 1e-3;

    private final Graph graph;
    private final String task;
    private final String prefix;
    private final Function<Parameter, Output> variables;

    /**
     * @param prefix of the names of all nodes added, such as {@code worker:0/}
     * @param variables where those of the layers are; each is asked for when its layer is added
     */
    public Layers(Graph graph, String task, String prefix, Function<Parameter, Output> variables) {
        this.graph = graph;
        this.task = task;
        this.prefix = prefix;
        this.variables = variables;
    }

    Node feed(String name, TensorType type) {
        return graph.add(prefix + name, task, new Feed(type));
    }

    /** A dimension of this task's own. */
    Dimension symbol(String name) {
        return Dimension.symbol(prefix + name);
    }

    /** All of x [rows, inputs] by a weight, and a bias: [rows, width]. */
    Output dense(String name, Output x, int width) {
        long inputs = size(x, 1);
        Output weight = variable(name + "/weight", inputs, inputs, width);
        Output bias = variable(name + "/bias", inputs, width);
        return add(name + "/sum", new AddBias(), add(name + "/product", new MatMul(false, false), x, weight), bias);
    }

    Output celu(String name, Output x) {
        return add(name + "/activation", new Celu(), x);
    }

    Output relu(String name, Output x) {
        return add(name + "/activation", new Relu(), x);
    }

    /** Of x [batch, channels, rows, columns] so many channels, with a bias for each. */
    Output convolution(String name, Output x, int channels, Window window) {
        long inputs = size(x, 1);
        Output weight = variable(name + "/weight", inputs * window.height() * window.width(), channels, inputs,
                window.height(), window.width());
        Output bias = variable(name + "/bias", inputs, channels);
        return add(name + "/sum", new ChannelBias(), add(name + "/product", new Convolution(window), x, weight), bias);
    }

    /** The same without a bias, normalized over the mini-batch with a shift that is learned and no scale, and activated. */
    Output normalized(String name, Output x, int channels, Window window) {
        long inputs = size(x, 1);
        long fanIn = inputs * window.height() * window.width();
        Output weight = variable(name + "/weight", fanIn, channels, inputs, window.height(), window.width());
        Output shift = variable(name + "/shift", fanIn, channels);
        Output product = add(name + "/product", new Convolution(window), x, weight);
        return relu(name, add(name + "/normalized", new BatchNormalization(EPSILON), product,
                add(name + "/scale", new Ones(channels)), shift));
    }

    /** Means over what the window shows of the image, without padding. */
    Output averagePool(String name, Output x, Window window) {
        return add(name, new AveragePool(window, false), x);
    }

    /** The channels of all, one behind the other. */
    Output concatenation(String name, Output... parts) {
        return add(name, new ChannelConcat(), parts);
    }

    Output maxPool(String name, Output x, Window window) {
        return add(name, new MaxPool(window), x);
    }

    /** Rows of a table, which are looked up where it is. @param ids [time, batch] */
    Output embedding(String name, Output ids, int vocabulary, int width) {
        Output table = variable(name + "/weight", vocabulary, vocabulary, width);
        return graph.add(prefix + name, table.node().task(), new Embedding(), table, ids).output();
    }

    /** All states of x [time, batch, inputs]: [time, batch, width]. */
    Output lstm(String name, Output x, int width, Output lengths) {
        return recurrent(name, new Lstm(), x, width, Lstm.GATE_COUNT, Lstm.GATE_COUNT, lengths);
    }

    /** Likewise. */
    Output gru(String name, Output x, int width, Output lengths) {
        return recurrent(name, new Gru(), x, width, Gru.WEIGHT_COUNT, Gru.GATE_COUNT, lengths);
    }

    private Output recurrent(String name, Operation layer, Output x, int width, int weights, int biases,
            Output lengths) {
        long inputs = size(x, 2);
        return add(name, layer, x, variable(name + "/input/weight", inputs + width, inputs, (long) weights * width),
                variable(name + "/hidden/weight", inputs + width, width, (long) weights * width),
                variable(name + "/bias", inputs, (long) biases * width), lengths);
    }

    /** Images [batch, features] as [batch, channels, rows, columns]. */
    Output planes(String name, Output x, ImageShape shape) {
        return add(name, new Reshape(SymbolicShape.of(REST, Dimension.of(shape.channels()),
                Dimension.of(shape.rows()), Dimension.of(shape.columns()))), x);
    }

    /** [batch, ...] as [batch, all]. */
    Output flat(String name, Output x) {
        long all = 1;
        for (int i = 1; i < x.type().shape().rank(); i++) {
            all *= size(x, i);
        }
        return add(name, new Reshape(SymbolicShape.of(REST, Dimension.of(all))), x);
    }

    /** [time, batch, width] as [time * batch, width], [time, batch] as [time * batch]. */
    Output rows(String name, Output x) {
        return add(name, new Reshape(x.type().shape().rank() == 2
                ? SymbolicShape.of(REST)
                : SymbolicShape.of(REST, x.type().shape().dimension(2))), x);
    }

    Output add(String name, Operation operation, Output... inputs) {
        return graph.add(prefix + name, task, operation, inputs).output();
    }

    private Output variable(String name, long fanIn, long... dimensions) {
        return variables.apply(new Parameter(name, TensorType.of(ElementType.FLOAT32, dimensions), fanIn));
    }

    static long size(Output x, int axis) {
        return x.type().shape().dimension(axis).value().orElseThrow();
    }
}
