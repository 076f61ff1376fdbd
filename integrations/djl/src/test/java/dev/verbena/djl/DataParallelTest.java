package dev.verbena.djl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.transfer.TransferException;

/** Two processes over shared memory, this one and a child. */
@Timeout(180)
class DataParallelTest {
    private static final int STEPS = 100;
    private static final long NOTICE_NS = 5_000_000_000L;

    @ParameterizedTest
    @ValueSource(strings = {"mlp", "cnn"})
    void twoLearnAsOneWithTheDoubledBatch(String kind) throws Exception {
        List<Double> losses = TwoBesideOne.learn(kind, "shm", STEPS);
        assertTrue(losses.getLast() < 0.5 * losses.getFirst(), "they learn: " + losses);
    }

    @RepeatedTest(5)
    void oneThatIsKilledIsNamedByTheOther() throws Exception {
        int port = WorkerProcess.freePort();
        try (WorkerProcess other = WorkerProcess.rankOne(port, "mlp", "1000000", "8", "shm");
                Training training = TwoBesideOne.rankZero(port, "mlp", 8, "shm")) {
            training.initialize();
            long[] killedNs = new long[1];
            TransferException failure = assertThrows(TransferException.class,
                    () -> training.run(1_000_000, (step, _) -> {
                        if (step == 5) {
                            killedNs[0] = System.nanoTime();
                            other.kill();
                        }
                    }));
            long heardNs = System.nanoTime() - killedNs[0];
            assertTrue(failure.getMessage().contains("rank 1"), failure.getMessage());
            assertTrue(heardNs < NOTICE_NS, "heard after " + heardNs + " ns");
            assertThrows(TransferException.class, training.trainer::step, "it stays so");
        }
    }

    @Test
    void whereModelsDifferIsSaid() throws Exception {
        int port = WorkerProcess.freePort();
        try (WorkerProcess other = WorkerProcess.rankOne(port, "wide", "1", "8", "shm");
                Training training = TwoBesideOne.rankZero(port, "mlp", 8, "shm")) {
            TransferException failure = assertThrows(TransferException.class, training::initialize);
            assertEquals("the model at rank 1 has 02Linear_weight (96, 784) FLOAT32 trained in bucket 0, here"
                    + " 02Linear_weight (128, 784) FLOAT32 trained in bucket 0", failure.getMessage());
            other.line();
            assertTrue(other.errors().contains("the model at rank 0 has 02Linear_weight (128, 784)"), other::errors);
        }
    }
}
