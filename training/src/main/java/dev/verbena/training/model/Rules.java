package dev.verbena.training.model;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Operation;
import dev.verbena.graph.gradient.Backward;
import dev.verbena.graph.gradient.GradientRules;
import dev.verbena.training.operation.AddBias;
import dev.verbena.training.operation.AuxiliarySoftmaxCrossEntropy;
import dev.verbena.training.operation.Celu;
import dev.verbena.training.operation.CeluGradient;
import dev.verbena.training.operation.Embedding;
import dev.verbena.training.operation.EmbeddingGradient;
import dev.verbena.training.operation.MaskedSoftmaxCrossEntropy;
import dev.verbena.training.operation.MatMul;
import dev.verbena.training.operation.ReduceRows;
import dev.verbena.training.operation.Relu;
import dev.verbena.training.operation.ReluGradient;
import dev.verbena.training.operation.SoftmaxCrossEntropy;
import dev.verbena.training.operation.Sum;
import dev.verbena.training.operation.image.AveragePool;
import dev.verbena.training.operation.image.AveragePoolGradient;
import dev.verbena.training.operation.image.BatchNormalization;
import dev.verbena.training.operation.image.BatchNormalizationGradient;
import dev.verbena.training.operation.image.ChannelBias;
import dev.verbena.training.operation.image.ChannelConcat;
import dev.verbena.training.operation.image.ChannelSlice;
import dev.verbena.training.operation.image.ChannelBiasGradient;
import dev.verbena.training.operation.image.Convolution;
import dev.verbena.training.operation.image.ConvolutionInputGradient;
import dev.verbena.training.operation.image.ConvolutionWeightGradient;
import dev.verbena.training.operation.image.MaxPool;
import dev.verbena.training.operation.image.MaxPoolGradient;
import dev.verbena.training.operation.image.Window;
import dev.verbena.training.operation.recurrent.Gru;
import dev.verbena.training.operation.recurrent.GruGradient;
import dev.verbena.training.operation.recurrent.Lstm;
import dev.verbena.training.operation.recurrent.LstmGradient;

/**
 * How gradients go through the operations of this room.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> constants.
 */
public final class Rules {
    /** Of all that a model's layers and its loss are made of. */
    public static final GradientRules ALL = GradientRules.summingBy(new Sum())
            .with(MatMul.class, Rules::matMul)
            .with(AddBias.class, Rules::addBias)
            .with(Celu.class, (celu, node) -> node.give(0,
                    node.add("x_gradient", new CeluGradient(), node.gradient(0), node.output(0))))
            .with(Relu.class, (relu, node) -> node.give(0,
                    node.add("x_gradient", new ReluGradient(), node.gradient(0), node.output(0))))
            .with(Convolution.class, Rules::convolution)
            .with(ChannelBias.class, Rules::channelBias)
            .with(MaxPool.class, (pool, node) -> node.give(0, node.add("x_gradient",
                    new MaxPoolGradient(pool.window()), node.gradient(0), node.input(0), node.output(0))))
            .with(AveragePool.class, (pool, node) -> node.give(0, node.add("x_gradient",
                    new AveragePoolGradient(pool.window(), pool.countsPadding(), size(node.input(0), 2),
                            size(node.input(0), 3)),
                    node.gradient(0))))
            .with(ChannelConcat.class, (concat, node) -> concatenation(node))
            .with(BatchNormalization.class, (normalization, node) -> normalization(node))
            .with(Embedding.class, Rules::embedding)
            .with(Lstm.class, (lstm, node) -> recurrent(new LstmGradient(), node, Lstm.Y, Lstm.GATES, Lstm.CELLS))
            .with(Gru.class, (gru, node) -> recurrent(new GruGradient(), node, Gru.Y, Gru.GATES))
            .with(SoftmaxCrossEntropy.class, (loss, node) -> ownGradients(node, SoftmaxCrossEntropy.GRADIENT))
            .with(MaskedSoftmaxCrossEntropy.class, (loss, node) -> ownGradients(node, SoftmaxCrossEntropy.GRADIENT))
            .with(AuxiliarySoftmaxCrossEntropy.class, (loss, node) -> ownGradients(node,
                    AuxiliarySoftmaxCrossEntropy.GRADIENT, AuxiliarySoftmaxCrossEntropy.AUXILIARY_GRADIENT));

    /** The bias of a recurrent layer, behind x and both weights. */
    private static final int BIAS = 3;

    private Rules() {}

    /** Of c = op(a) * op(b), with g that of c: op(a)'s is g * op(b)^T, op(b)'s is op(a)^T * g; of a transposed one, all of it transposed. */
    private static void matMul(MatMul product, Backward node) {
        boolean transposeA = product.transposeA();
        boolean transposeB = product.transposeB();
        if (node.isWanted(1)) {
            node.give(1, transposeB
                    ? node.add("b_gradient", new MatMul(true, transposeA), node.gradient(0), node.input(0))
                    : node.add("b_gradient", new MatMul(!transposeA, false), node.input(0), node.gradient(0)));
        }
        if (node.isWanted(0)) {
            node.give(0, transposeA
                    ? node.add("a_gradient", new MatMul(transposeB, true), node.input(1), node.gradient(0))
                    : node.add("a_gradient", new MatMul(false, !transposeB), node.gradient(0), node.input(1)));
        }
    }

    private static void addBias(AddBias sum, Backward node) {
        node.give(0, node.gradient(0));
        if (node.isWanted(1)) {
            node.give(1, node.add("bias_gradient", new ReduceRows(), node.gradient(0)));
        }
    }

    private static void convolution(Convolution convolution, Backward node) {
        Window window = convolution.window();
        if (node.isWanted(1)) {
            node.give(1, node.add("weight_gradient", new ConvolutionWeightGradient(window), node.input(0),
                    node.gradient(0)));
        }
        if (node.isWanted(0)) {
            node.give(0, node.add("x_gradient",
                    new ConvolutionInputGradient(window, size(node.input(0), 2), size(node.input(0), 3)),
                    node.gradient(0), node.input(1)));
        }
    }

    private static void channelBias(ChannelBias sum, Backward node) {
        node.give(0, node.gradient(0));
        if (node.isWanted(1)) {
            node.give(1, node.add("bias_gradient", new ChannelBiasGradient(), node.gradient(0)));
        }
    }

    private static void embedding(Embedding embedding, Backward node) {
        node.give(0, node.add("table_gradient", new EmbeddingGradient(size(node.input(0), 0)), node.input(1),
                node.gradient(0)));
    }

    /** One node for all: x, both weights, what the layer has kept, the gradient, and lengths if there are some. */
    private static void recurrent(Operation gradient, Backward node, int... kept) {
        List<Output> inputs = new ArrayList<>(List.of(node.input(0), node.input(1), node.input(2)));
        for (int output : kept) {
            inputs.add(node.output(output));
        }
        inputs.add(node.gradient(0));
        if (node.node().inputs().size() > BIAS + 1) {
            inputs.add(node.input(BIAS + 1));
        }
        Node all = node.add("gradients", gradient, inputs.toArray(Output[]::new)).node();
        for (int i = 0; i <= BIAS; i++) {
            node.give(i, all.output(i));
        }
    }

    /** Each input gets its channels back. */
    private static void concatenation(Backward node) {
        long first = 0;
        for (int i = 0; i < node.node().inputs().size(); i++) {
            long count = size(node.input(i), 1);
            if (node.isWanted(i)) {
                node.give(i, node.add("x" + i + "_gradient", new ChannelSlice(first, count), node.gradient(0)));
            }
            first += count;
        }
    }

    /** One node for all: x, the scale and the shift. */
    private static void normalization(Backward node) {
        Node all = node.add("gradients", new BatchNormalizationGradient(), node.gradient(BatchNormalization.Y),
                node.input(0), node.input(1), node.output(BatchNormalization.MEAN),
                node.output(BatchNormalization.INVERSE_DEVIATION)).node();
        node.give(0, all.output(BatchNormalizationGradient.X));
        node.give(1, all.output(BatchNormalizationGradient.SCALE));
        node.give(2, all.output(BatchNormalizationGradient.SHIFT));
    }

    /** A loss comes with its own gradients, by its first inputs, which are those of the loss if it is the loss. */
    private static void ownGradients(Backward node, int... gradients) {
        if (!node.isLoss(SoftmaxCrossEntropy.LOSS) || node.hasGradient(SoftmaxCrossEntropy.LOSS)) {
            throw new IllegalArgumentException("node '" + node.node() + "' (" + node.node().operation().name()
                    + ") has a gradient as the loss itself only, not as a part of one");
        }
        for (int i = 0; i < gradients.length; i++) {
            node.give(i, node.output(gradients[i]));
        }
    }

    private static long size(Output output, int axis) {
        return output.type().shape().dimension(axis).value().orElseThrow(() -> new IllegalArgumentException(
                "dimension " + axis + " of " + output + " " + output.type() + " must be known for its gradient"));
    }
}
