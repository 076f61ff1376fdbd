package dev.verbena.djl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import ai.djl.ndarray.NDArray;
import ai.djl.nn.Parameter;
import ai.djl.util.Pair;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.GroupEnvironment;
import dev.verbena.transfer.TransferException;

/** Two processes over shared memory, this one and a child, beside one process with batches twice as large. */
@Timeout(180)
class DataParallelTest {
    private static final int STEPS = 100;
    private static final int BATCH = 32;
    private static final double TOLERANCE = 1e-4;
    private static final long NOTICE_NS = 5_000_000_000L;

    @ParameterizedTest
    @ValueSource(strings = {"mlp", "cnn"})
    void twoLearnAsOneWithTheDoubledBatch(String kind) throws Exception {
        List<Double> expected;
        try (Training alone = alone(kind, 2 * BATCH)) {
            alone.initialize();
            expected = alone.run(STEPS, (_, _) -> {});
        }
        assertTrue(expected.getLast() < 0.5 * expected.getFirst(), "it learns: " + expected);
        int port = WorkerProcess.freePort();
        try (WorkerProcess other = WorkerProcess.rankOne(port, kind, "" + STEPS, "" + BATCH, "shm");
                Training training = rankZero(port, kind)) {
            training.initialize();
            List<Long> addresses = addresses(training);
            List<Double> losses = training.run(STEPS, (_, _) -> {});
            for (int i = 0; i < STEPS; i++) {
                assertEquals(expected.get(i), losses.get(i), TOLERANCE, "loss of step " + i);
            }
            assertEquals(addresses, addresses(training), "nothing has moved");
            assertEquals(0, training.trainer.copies());
            assertEquals(0, training.workers.statistics().copies());
            assertEquals("copies=0 staged=0 [" + kind + ", 100, 32, shm]", other.lastLine());
        }
    }

    /** Of each parameter and its gradient; all within tensors of the arena. */
    private static List<Long> addresses(Training training) {
        List<Tensor> tensors = training.trainer.tensors();
        assertTrue(tensors.size() >= 4, "several buckets: " + tensors);
        List<Long> addresses = new ArrayList<>();
        for (Pair<String, Parameter> pair : training.model.getBlock().getParameters()) {
            try (NDArray gradient = pair.getValue().getArray().getGradient()) {
                for (NDArray array : List.of(pair.getValue().getArray(), gradient)) {
                    MemorySegment memory = MemorySegment.ofBuffer(array.toByteBuffer(true));
                    assertTrue(tensors.stream().anyMatch(tensor -> contains(tensor, memory)),
                            pair.getKey() + " lies in the arena");
                    addresses.add(memory.address());
                }
            }
        }
        return addresses;
    }

    private static boolean contains(Tensor tensor, MemorySegment memory) {
        return memory.address() >= tensor.address()
                && memory.address() + memory.byteSize() <= tensor.address() + tensor.byteSize();
    }

    @Test
    void oneThatIsKilledIsNamedByTheOther() throws Exception {
        int port = WorkerProcess.freePort();
        try (WorkerProcess other = WorkerProcess.rankOne(port, "mlp", "1000000", "8", "shm");
                Training training = rankZero(port, "mlp", 8)) {
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
                Training training = rankZero(port, "mlp", 8)) {
            TransferException failure = assertThrows(TransferException.class, training::initialize);
            assertEquals("the model at rank 1 has 02Linear_weight (96, 784) FLOAT32 trained in bucket 0, here"
                    + " 02Linear_weight (128, 784) FLOAT32 trained in bucket 0", failure.getMessage());
            other.line();
            assertTrue(other.errors().contains("the model at rank 0 has 02Linear_weight (128, 784)"), other::errors);
        }
    }

    private static Training rankZero(int port, String kind) {
        return rankZero(port, kind, BATCH);
    }

    private static Training rankZero(int port, String kind, int batchSize) {
        GroupEnvironment environment = new GroupEnvironment(0, 2, new Endpoint("127.0.0.1", port));
        return new Training(VerbenaDataParallel.join(environment, Worker.options("shm")), kind, batchSize, 1);
    }

    static Training alone(String kind, int batchSize) {
        return new Training(
                VerbenaDataParallel.join(GroupEnvironment.of(Map.of()), Worker.options("shm")), kind, batchSize, 1);
    }
}
