package dev.verbena.training;

import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.training.data.MiniBatches;
import dev.verbena.training.data.SequenceBatches;

/**
 * The mini-batches of one worker, as its model is fed with them.
 *
 * <p><b>Owner:</b> the worker. <b>Threading:</b> confined to it.
 */
@FunctionalInterface
interface Batches {
    /** The tensors of an iteration, counted from 0 over all epochs, in the order of {@link dev.verbena.training.model.Pass#feeds}; the caller closes them. */
    List<Tensor> next(int iteration, TensorArena arena);

    /** @throws DataException if there is not enough for one of all workers */
    static Batches of(TrainingData data, TrainingOptions options, int worker) {
        return switch (data) {
            case Dataset images -> ofImages(images, new MiniBatches(images.train(), options.seed(), options.workers(),
                    worker, options.batch()), options.batch());
            case TextCorpus text -> ofText(new SequenceBatches(text.train(), options.seed(), options.workers(), worker,
                    options.batch()), options.batch());
            case DataFacts facts -> throw facts.isNoData();
        };
    }

    private static Batches ofImages(Dataset data, MiniBatches batches, int batch) {
        return (iteration, arena) -> {
            Tensor images = arena.allocate(ElementType.FLOAT32, Shape.of(batch, data.featureCount()));
            Tensor labels = arena.allocate(ElementType.INT32, Shape.of(batch));
            batches.gather(iteration, images, labels);
            return List.of(images, labels);
        };
    }

    private static Batches ofText(SequenceBatches batches, int batch) {
        return (iteration, arena) -> {
            int time = batches.steps(iteration);
            Tensor inputs = arena.allocate(ElementType.INT32, Shape.of(time, batch));
            Tensor labels = arena.allocate(ElementType.INT32, Shape.of(time, batch));
            Tensor lengths = arena.allocate(ElementType.INT32, Shape.of(batch));
            batches.gather(iteration, inputs, labels, lengths);
            return List.of(inputs, labels, lengths);
        };
    }
}
