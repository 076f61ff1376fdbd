package dev.verbena.djl;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.Trainer;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import dev.verbena.transfer.GroupEnvironment;
import dev.verbena.transfer.RdmaDeviceOptions;

/** One process of a training that is measured; rank 0 prints the images per second of all, and the loss at the end. */
final class TrainingMember {
    private static final int PIXELS = 784;
    private static final int HIDDEN = 1024;
    private static final int CLASSES = 10;

    private TrainingMember() {}

    private interface Step {
        void run() throws InterruptedException;
    }

    /** {@code verbena} or {@code grpc}, BATCH, WARM_UP_STEPS, STEPS */
    public static void main(String[] arguments) throws Exception {
        PyTorch.engine().setRandomSeed(1);
        GroupEnvironment environment = GroupEnvironment.of(System.getenv());
        int batchSize = Integer.parseInt(arguments[1]);
        try (Model model = Model.newInstance("mlp", Device.cpu(), "PyTorch")) {
            model.setBlock(new SequentialBlock().add(Blocks.batchFlattenBlock())
                    .add(Linear.builder().setUnits(HIDDEN).build()).add(Activation::relu)
                    .add(Linear.builder().setUnits(HIDDEN).build()).add(Activation::relu)
                    .add(Linear.builder().setUnits(CLASSES).build()));
            DefaultTrainingConfig config = new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
                    .optDevices(new Device[]{Device.cpu()})
                    .optOptimizer(Optimizer.sgd().setLearningRateTracker(Tracker.fixed(0.01f)).build());
            if (arguments[0].equals("grpc")) {
                try (GrpcMean mean = new GrpcMean(environment.rank(), environment.master().port());
                        Trainer trainer = model.newTrainer(config)) {
                    measure(environment, trainer, arguments, batchSize, () -> {
                        mean.reduce(model);
                        trainer.step();
                    });
                }
            } else {
                DataParallelOptions options = DataParallelOptions.defaults()
                        .withDevice(RdmaDeviceOptions.defaults().withFabric("shm"));
                try (VerbenaDataParallel workers = VerbenaDataParallel.join(environment, options);
                        DataParallelTrainer trainer = workers.newTrainer(model, config)) {
                    measure(environment, trainer, arguments, batchSize, trainer::step);
                }
            }
        }
    }

    private static void measure(GroupEnvironment environment, Trainer trainer, String[] arguments, int batchSize,
            Step step) throws InterruptedException {
        trainer.initialize(new Shape(batchSize, PIXELS));
        Random random = new Random(environment.rank());
        float[] pixels = new float[batchSize * PIXELS];
        float[] labels = new float[batchSize];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = random.nextFloat();
            labels[i / PIXELS] = random.nextInt(CLASSES);
        }
        NDList images = new NDList(trainer.getManager().create(pixels, new Shape(batchSize, PIXELS)));
        NDList classes = new NDList(trainer.getManager().create(labels));
        run(trainer, images, classes, Integer.parseInt(arguments[2]), step);
        int steps = Integer.parseInt(arguments[3]);
        long beginNs = System.nanoTime();
        float loss = run(trainer, images, classes, steps, step);
        double seconds = 1e-9 * (System.nanoTime() - beginNs);
        if (environment.rank() == 0) {
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8)
                    .println(environment.size() * batchSize * steps / seconds + " " + loss);
        }
    }

    private static float run(Trainer trainer, NDList images, NDList classes, int steps, Step step)
            throws InterruptedException {
        float last = 0;
        for (int i = 0; i < steps; i++) {
            try (GradientCollector collector = trainer.newGradientCollector()) {
                NDArray loss = trainer.getLoss().evaluate(classes, trainer.forward(images, classes));
                collector.backward(loss);
                last = loss.getFloat();
                loss.close();
            }
            step.run();
        }
        return last;
    }
}
