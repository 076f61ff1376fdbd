package dev.verbena.onnxruntime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

import dev.verbena.graph.partition.Partitioner;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * Runs a model in parts beside one session.
 *
 * @param devices what those of the parts and of the client are like
 * @param inferences how many; from the second on memory and slots are used again
 */
record PartComparison(RdmaDeviceOptions devices, int inferences) {
    static final int INFERENCES = 4;
    /** Emulated processors have taken from some seconds to more than a minute for an inference of a light model. */
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    PartComparison(RdmaDeviceOptions devices) {
        this(devices, INFERENCES);
    }

    /**
     * Both compute the same, bit for bit, and nobody copies what is sent.
     *
     * @param later what symbols stand for that the plan leaves open
     */
    void compare(Path file, Map<String, Long> symbols, int parts, Map<String, Long> later) throws Exception {
        ModelPlan plan = ModelPlan.of(file, symbols, Partitioner.into(parts));
        PartOptions options = PartOptions.defaults().withTimeout(TIMEOUT);
        try (LocalParts running = LocalParts.start(plan, options, devices);
                WholeModel whole = WholeModel.open(file, plan, options)) {
            for (int i = 0; i < inferences; i++) {
                Map<String, Tensor> inputs = new LinkedHashMap<>();
                for (CrossingTensor input : plan.outputs(ModelPlan.CLIENT)) {
                    inputs.put(input.name(),
                            random(running.client(), input.type(), input.shape(later).orElseThrow(), i));
                }
                assertSame(whole.infer(inputs), running.client().infer(inputs));
                inputs.values().forEach(Tensor::close);
            }
            int part = 0;
            for (PartStatistics each : running.stop()) {
                assertEquals(inferences, each.inferences());
                assertEquals(0, each.copies());
                assertEquals(inferences * placedEach(plan, part++), each.placed());
            }
            assertEquals(0, running.deviceCopies());
        }
    }

    /** Where the fabric maps slots: each output of a known shape that one process takes. */
    private long placedEach(ModelPlan plan, int part) {
        return devices.fabric().equals("shm")
                ? plan.outputs(part).stream().filter(each -> each.shape().isPresent() && each.consumers().size() == 1)
                        .count()
                : 0;
    }

    static void assertSame(Map<String, byte[]> expected, Map<String, Tensor> outputs) {
        assertEquals(expected.keySet(), outputs.keySet());
        outputs.forEach((name, tensor) -> {
            assertArrayEquals(expected.get(name), tensor.memory().toArray(ValueLayout.JAVA_BYTE), name);
            tensor.close();
        });
    }

    static Tensor random(PartClient client, ElementType type, Shape shape, int seed) {
        Tensor tensor = client.arena().allocate(type, shape);
        Random random = new Random(seed);
        for (long i = 0; i < shape.elementCount(); i++) {
            tensor.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
        }
        return tensor;
    }
}
