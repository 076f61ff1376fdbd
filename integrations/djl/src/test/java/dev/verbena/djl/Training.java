package dev.verbena.djl;

import java.util.ArrayList;
import java.util.List;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.pooling.Pool;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.dataset.Batch;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;

/** Digits learned by one of the processes, whose steps can be watched. */
final class Training implements AutoCloseable {
    static final int SAMPLES = 2048;
    static final long SEED = 7;

    final VerbenaDataParallel workers;
    final Model model;
    final DataParallelTrainer trainer;
    private final Digits digits;
    private final int batchSize;

    /** What happens after each step. */
    @FunctionalInterface
    interface Watcher {
        void afterStep(int step, double meanLoss) throws Exception;
    }

    Training(VerbenaDataParallel workers, String kind, int batchSize, int seed) {
        this.workers = workers;
        this.batchSize = batchSize;
        digits = Digits.of(SAMPLES);
        PyTorch.engine().setRandomSeed(seed);
        model = Model.newInstance(kind, Device.cpu(), Engine.getDefaultEngineName());
        model.setBlock(block(kind));
        trainer = workers.newTrainer(model, config());
    }

    static DefaultTrainingConfig config() {
        return new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
                .optOptimizer(Optimizer.sgd().setLearningRateTracker(Tracker.fixed(0.01f)).optMomentum(0.9f).build())
                .optDevices(new Device[]{Device.cpu()});
    }

    static SequentialBlock block(String kind) {
        SequentialBlock block = new SequentialBlock();
        if (kind.equals("cnn")) {
            block.add(Conv2d.builder().setFilters(8).setKernelShape(new Shape(5, 5)).build()).add(Activation::relu)
                    .add(Pool.maxPool2dBlock(new Shape(2, 2), new Shape(2, 2)))
                    .add(Conv2d.builder().setFilters(16).setKernelShape(new Shape(3, 3)).build())
                    .add(Activation::relu).add(Pool.maxPool2dBlock(new Shape(2, 2), new Shape(2, 2)));
        }
        return block.add(Blocks.batchFlattenBlock())
                .add(Linear.builder().setUnits(kind.equals("wide") ? 96 : 128).build()).add(Activation::relu)
                .add(Linear.builder().setUnits(10).build());
    }

    void initialize() {
        trainer.initialize(new Shape(batchSize, 1, Digits.SIDE, Digits.SIDE));
    }

    /** Mean losses over all processes, step by step. */
    List<Double> run(int steps, Watcher watcher) throws Exception {
        List<Double> losses = new ArrayList<>();
        var dataset = digits.dataset(trainer.getManager(), workers.sampler(batchSize, SEED));
        while (losses.size() < steps) {
            for (Batch batch : trainer.iterateDataset(dataset)) {
                if (losses.size() < steps) {
                    double loss = workers.mean(backward(batch));
                    trainer.step();
                    losses.add(loss);
                    watcher.afterStep(losses.size(), loss);
                }
                batch.close();
            }
        }
        return losses;
    }

    private float backward(Batch batch) {
        try (GradientCollector collector = trainer.newGradientCollector()) {
            NDList output = trainer.forward(batch.getData(), batch.getLabels());
            var loss = trainer.getLoss().evaluate(batch.getLabels(), output);
            collector.backward(loss);
            return loss.getFloat();
        }
    }

    @Override
    public void close() {
        trainer.close();
        model.close();
        workers.close();
    }
}
