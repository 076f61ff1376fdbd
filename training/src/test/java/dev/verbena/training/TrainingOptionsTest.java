package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.verbena.training.data.ImageSet;

class TrainingOptionsTest {
    private static final ImageSet SET = new ImageSet(new byte[100], new byte[100], 1,
            IntStream.range(0, 100).toArray());
    private static final Dataset DATA = Dataset.of(SET, SET);

    @Test
    void acceptsWhatCanRun() {
        assertDoesNotThrow(() -> Training.check(options("mlp", 2, 4, 1, 50, .1f), DATA));
        assertDoesNotThrow(() -> Training.check(options("fcn5", 1, 10, 1, 1, Float.MIN_VALUE), DATA));
    }

    @Test
    void saysWhatCannotRun() {
        assertRefuses("unknown model='resnet'; known are mlp, fcn5, cnn, alexnet, vgg16, inception3, lstm, gru",
                options("resnet", 1, 1, 1, 1, 1));
        assertRefuses("workers=0; give at least 1", options("mlp", 0, 1, 1, 1, 1));
        assertRefuses("servers=-1; give at least 1", options("mlp", 1, -1, 1, 1, 1));
        assertRefuses("iterations=0; give at least 1", options("mlp", 1, 1, 0, 1, 1));
        assertRefuses("batch=0; give at least 1", options("mlp", 1, 1, 1, 0, 1));
        for (float lr : new float[]{0, -1, Float.NaN, Float.POSITIVE_INFINITY}) {
            assertRefuses("lr=" + lr + "; give a positive number such as 0.4", options("mlp", 1, 1, 1, 1, lr));
        }
        assertRefuses(
                "workers=2 with batch=51 take 102 examples at a time, but the training set has 100; give a smaller batch"
                        + " or fewer workers",
                options("mlp", 2, 1, 1, 51, 1));
        assertRefuses(
                "workers=65536 with batch=65536 take 4294967296 examples at a time, but the training set has 100; give a"
                        + " smaller batch or fewer workers",
                options("mlp", 1 << 16, 1, 1, 1 << 16, 1));
        assertRefuses(
                "validateEvery=-1; give the number of epochs between two measurements, or 0 for none but the last",
                options("mlp", 1, 1, 1, 1, 1).withValidation(-1));
        assertRefuses("blasThreads=0; give at least 1", options("mlp", 1, 1, 1, 1, 1).withBlasThreads(0));
        assertRefuses("traces=kept where senders copy: nothing is learned then; leave one of the two out",
                new TrainingOptions("mlp", 1, 1, 1, 1, 1, .1f, true).withTraces(Path.of("kept")));
        assertRefuses("servers=5 for the 4 variables of model=mlp; give at most servers=4",
                options("mlp", 1, 5, 1, 1, 1));
    }

    @Test
    void namesItsTasksServersFirst() {
        assertEquals(List.of("server:0", "server:1", "worker:0"), Training.tasks(options("mlp", 1, 2, 1, 1, 1)));
    }

    @Test
    void countsTheIterationsOfAnEpoch() {
        assertEquals(14, Training.iterationsPerEpoch(options("mlp", 1, 1, 1, 7, 1), DATA));
        assertEquals(7, Training.iterationsPerEpoch(options("mlp", 2, 1, 1, 7, 1), DATA));
    }

    @Test
    void oneProcessHasOneWorker() {
        assertThrows(IllegalArgumentException.class,
                () -> Training.local(options("mlp", 2, 1, 1, 1, 1), DATA, (_, _, _) -> {}));
    }

    private static void assertRefuses(String message, TrainingOptions options) {
        assertEquals(message,
                assertThrows(IllegalArgumentException.class, () -> Training.check(options, DATA)).getMessage());
    }

    private static TrainingOptions options(String model, int workers, int servers, int iterations, int batch,
            float lr) {
        return new TrainingOptions(model, workers, servers, iterations, batch, 1, lr, false);
    }
}
