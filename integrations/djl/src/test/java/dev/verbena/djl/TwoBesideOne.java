package dev.verbena.djl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import ai.djl.ndarray.NDArray;
import ai.djl.nn.Parameter;
import ai.djl.util.Pair;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.GroupEnvironment;

/** Two processes, this one and a child, beside one process with batches twice as large. */
final class TwoBesideOne {
    private static final int BATCH = 32;
    private static final double TOLERANCE = 1e-4;

    private TwoBesideOne() {}

    /** Each step has the loss that one alone has, in memory that is not moved and not copied. @return the losses */
    static List<Double> learn(String kind, String fabric, int steps) throws Exception {
        List<Double> expected;
        try (Training alone = alone(kind, 2 * BATCH)) {
            alone.initialize();
            expected = alone.run(steps, (_, _) -> {});
        }
        int port = WorkerProcess.freePort();
        try (WorkerProcess other = WorkerProcess.rankOne(port, kind, "" + steps, "" + BATCH, fabric);
                Training training = rankZero(port, kind, BATCH, fabric)) {
            training.initialize();
            List<Long> addresses = addresses(training);
            List<Double> losses = training.run(steps, (_, _) -> {});
            for (int i = 0; i < steps; i++) {
                assertEquals(expected.get(i), losses.get(i), TOLERANCE, "loss of step " + i);
            }
            assertEquals(addresses, addresses(training), "nothing has moved");
            assertEquals(0, training.trainer.copies());
            assertEquals(0, training.workers.statistics().copies());
            assertEquals("copies=0 staged=0 [" + kind + ", " + steps + ", " + BATCH + ", " + fabric + "]",
                    other.lastLine());
        }
        return expected;
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

    static Training rankZero(int port, String kind, int batchSize, String fabric) {
        GroupEnvironment environment = new GroupEnvironment(0, 2, new Endpoint("127.0.0.1", port));
        return new Training(VerbenaDataParallel.join(environment, Worker.options(fabric)), kind, batchSize, 1);
    }

    static Training alone(String kind, int batchSize) {
        return new Training(
                VerbenaDataParallel.join(GroupEnvironment.of(Map.of()), Worker.options("shm")), kind, batchSize, 1);
    }
}
