package dev.verbena.djl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Parameter;
import ai.djl.training.EasyTrain;
import ai.djl.training.ParameterStore;
import ai.djl.training.listener.TrainingListenerAdapter;
import ai.djl.training.Trainer;

/** A group of one: what a trainer does with a model, and what it does not put up with. */
class DataParallelTrainerTest {
    private static final int BATCH = 16;

    @TempDir
    private Path folder;

    @Test
    void aGradientThatWasGivenOtherMemoryIsCopiedAndCounted() throws Exception {
        List<Double> expected;
        try (Training training = TwoBesideOne.alone("mlp", BATCH)) {
            training.initialize();
            expected = training.run(10, (_, _) -> {});
            assertEquals(0, training.trainer.copies());
        }
        try (Training training = TwoBesideOne.alone("mlp", BATCH)) {
            training.initialize();
            List<Double> losses = training.run(10, (step, _) -> {
                if (step == 4) {
                    Parameter weight = training.model.getBlock().getParameters().valueAt(0);
                    NDArray gradient = weight.getArray().getGradient();
                    gradient.set(ByteBuffer.allocateDirect(Math.toIntExact(4 * gradient.size()))
                            .order(ByteOrder.nativeOrder()));
                }
            });
            assertEquals(expected, losses, "the same bits");
            assertEquals(1, training.trainer.copies());
        }
    }

    /** As a user of DJL has it: EasyTrain, a listener, and a model that is used and saved when the trainer is gone. */
    @Test
    void easyTrainTrainsAndTheModelLivesOn() throws Exception {
        int[] batches = new int[1];
        float[][] answers = new float[2][];
        try (VerbenaDataParallel workers = VerbenaDataParallel.fromEnvironment();
                Model model = Model.newInstance("digits", Device.cpu(), "PyTorch");
                NDManager manager = NDManager.newBaseManager(Device.cpu(), "PyTorch")) {
            model.setBlock(Training.block("mlp"));
            Digits digits = Digits.drawn(256);
            NDArray images = manager.create(digits.pixels());
            var config = Training.config().addTrainingListeners(new TrainingListenerAdapter() {
                @Override
                public void onTrainingBatch(Trainer trainer, BatchData batch) {
                    batches[0]++;
                }
            });
            try (DataParallelTrainer trainer = workers.newTrainer(model, config)) {
                trainer.initialize(new Shape(BATCH, 1, Digits.SIDE, Digits.SIDE));
                EasyTrain.fit(trainer, 2, digits.dataset(trainer.getManager(), workers.sampler(BATCH, 3)), null);
                answers[0] = trainer.evaluate(new NDList(images)).head().toFloatArray();
                assertTrue(trainer.registeredByteSize() >= 2 * 4 * 784 * 128);
            }
            answers[1] = model.getBlock().forward(new ParameterStore(manager, false), new NDList(images), false)
                    .head().toFloatArray();
            model.save(folder, "digits");
            try (Model saved = Model.newInstance("digits", Device.cpu(), "PyTorch")) {
                saved.setBlock(Training.block("mlp"));
                saved.load(folder, "digits");
                assertArrayEquals(answers[0], saved.getBlock()
                        .forward(new ParameterStore(manager, false), new NDList(images), false).head().toFloatArray());
                // What was loaded is frozen until it is trained again.
                try (DataParallelTrainer again = workers.newTrainer(saved, Training.config())) {
                    again.initialize(new Shape(BATCH, 1, Digits.SIDE, Digits.SIDE));
                    assertEquals(2, again.tensors().size());
                }
            }
        }
        assertEquals(2 * 256 / BATCH, batches[0]);
        assertArrayEquals(answers[0], answers[1]);
    }

    @Test
    void stepsWantAnInitializedModelAndGradients() {
        try (Training training = TwoBesideOne.alone("mlp", BATCH)) {
            assertEquals("initialize the trainer before its first step",
                    assertThrows(IllegalStateException.class, training.trainer::step).getMessage());
            training.initialize();
            assertTrue(assertThrows(IllegalStateException.class, training.trainer::step).getMessage()
                    .startsWith("all gradients are zero; call collector.backward"));
        }
    }

    @Test
    void whatCannotBeIsRefused() {
        DataParallelOptions options = DataParallelOptions.defaults();
        assertThrows(IllegalArgumentException.class, () -> options.withBucketByteSize(0));
        assertThrows(IllegalArgumentException.class, () -> options.withMeetingTimeout(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> options.withStepTimeout(Duration.ZERO));
        try (VerbenaDataParallel workers = VerbenaDataParallel.fromEnvironment();
                Model model = Model.newInstance("digits", Device.cpu(), "PyTorch")) {
            model.setBlock(Training.block("mlp"));
            var config = Training.config().optDevices(new Device[]{Device.gpu(0)});
            assertTrue(assertThrows(IllegalArgumentException.class, () -> workers.newTrainer(model, config))
                    .getMessage().startsWith("devices of the training are [gpu(0)]; "));
        }
    }
}
