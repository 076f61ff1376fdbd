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
import dev.verbena.training.operation.AuxiliarySoftmaxCrossEntropy;
import dev.verbena.training.operation.SoftmaxCrossEntropy;

/**
 * A model that puts images into classes.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
interface ImageModel extends Model {
    /** Node names, and the order of the feeds. */
    String IMAGES = "images";
    String LABELS = "labels";
    /** What a second classifier counts: as in TensorFlow-Slim's Inception-v3. */
    float AUXILIARY_SHARE = .4f;

    /**
     * Adds what it computes of images.
     *
     * @param images [batch, features]
     * @return the logits [batch, classes]; behind them those of a second classifier, if it has one that helps to train it
     */
    List<Output> logits(Layers layers, Output images, DataFacts data);

    @Override
    default Optimizer optimizer() {
        return Optimizer.SGD;
    }

    @Override
    default Pass add(Layers layers, TrainingData data, Dimension batch) {
        DataFacts images = data.facts();
        if (images.isText()) {
            throw new IllegalArgumentException("model=" + title() + " takes images; give a directory with IDX files");
        }
        Node imageFeed = layers.feed(IMAGES, new TensorType(ElementType.FLOAT32,
                SymbolicShape.of(batch, Dimension.of(images.featureCount()))));
        Node labelFeed = layers.feed(LABELS, new TensorType(ElementType.INT32, SymbolicShape.of(batch)));
        List<Output> logits = logits(layers, imageFeed.output(), images);
        Output loss = logits.size() == 1
                ? layers.add("loss", new SoftmaxCrossEntropy(), logits.getFirst(), labelFeed.output())
                : layers.add("loss", new AuxiliarySoftmaxCrossEntropy(AUXILIARY_SHARE), logits.get(0), logits.get(1),
                        labelFeed.output());
        return new Pass(List.of(imageFeed, labelFeed), logits.getFirst(), loss);
    }
}
