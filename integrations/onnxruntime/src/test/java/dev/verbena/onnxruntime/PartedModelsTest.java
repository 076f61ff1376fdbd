package dev.verbena.onnxruntime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.graph.partition.Partitioner;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.RdmaDeviceOptions;

/** What parts compute together over shared memory is what one session computes, bit for bit, and nobody copies it before it is sent. */
class PartedModelsTest {
    private static final Path MODELS = Path.of(System.getProperty("verbena.home", "../.."))
            .resolve("../shared/data/onnx");
    private static final int INFERENCES = PartComparison.INFERENCES;
    private static final RdmaDeviceOptions SHM = RdmaDeviceOptions.defaults().withFabric("shm");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"light_bvlc_alexnet, 2", "light_bvlc_alexnet, 3", "light_vgg19, 2", "light_vgg19, 3",
            "light_inception_v1, 2", "light_inception_v1, 3"})
    void lightModels(String name, int parts) throws Exception {
        Path file = MODELS.resolve(name + ".onnx");
        assumeTrue(Files.exists(file), () -> "no such file: " + file);
        new PartComparison(SHM).compare(file, Map.of(), parts, Map.of());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void aSmallModelWhoseFirstOutputIsUsedByTheLastPartToo(int parts) throws Exception {
        new PartComparison(SHM).compare(SmallModels.skipping(folder), Map.of("N", 5L), parts, Map.of());
    }

    @Test
    void whatIsOpenUntilAnInferenceSaysIsReadFromWhereItIsComputed() throws Exception {
        new PartComparison(SHM).compare(SmallModels.skipping(folder), Map.of(), 3, Map.of("N", 7L));
    }

    @Test
    void whatOnlyARunTellsIsCopiedAndCounted() throws Exception {
        Path file = SmallModels.counting(folder);
        ModelPlan plan = ModelPlan.of(file, Map.of(), Partitioner.into(2).withAnnotations());
        try (LocalParts running = LocalParts.start(plan, PartOptions.defaults(), SHM);
                WholeModel whole = WholeModel.open(file, plan, PartOptions.defaults());
                Tensor input = PartComparison.random(running.client(), ElementType.FLOAT32, Shape.of(40), 3)) {
            for (int i = 0; i < INFERENCES - 1; i++) {
                PartComparison.assertSame(whole.infer(Map.of("x", input)), running.client().infer(Map.of("x", input)));
            }
            input.memory().fill((byte) 0);
            Map<String, byte[]> nothing = whole.infer(Map.of("x", input));
            assertEquals(0, nothing.get("y").length);
            PartComparison.assertSame(nothing, running.client().infer(Map.of("x", input)));
            List<PartStatistics> statistics = running.stop();
            assertEquals(2 * INFERENCES, statistics.get(0).copies());
            assertEquals(2 * INFERENCES - 2, statistics.get(0).copiesLater());
            assertEquals(0, statistics.get(1).copies(), "how many there are the second part sees");
        }
    }

    @Test
    void anInputThatIsMissingOrOfAnotherShapeIsNamed() throws Exception {
        ModelPlan plan = ModelPlan.of(SmallModels.skipping(folder), Map.of("N", 5L), Partitioner.into(2));
        try (LocalParts running = LocalParts.start(plan, PartOptions.defaults(), SHM);
                Tensor input = PartComparison.random(running.client(), ElementType.FLOAT32, Shape.of(6, 16), 3)) {
            assertEquals("input 'x' FLOAT32 [5, 16] is missing",
                    assertThrows(IllegalArgumentException.class, () -> running.client().send(Map.of())).getMessage());
            assertEquals("input 'x' FLOAT32 [5, 16] is given as FLOAT32 [6, 16]", assertThrows(
                    IllegalArgumentException.class, () -> running.client().send(Map.of("x", input))).getMessage());
        }
    }

    @Test
    void inputsOfOneInferenceAgreeOnSymbols() throws Exception {
        Path file = SmallModels.summing(folder);
        ModelPlan plan = ModelPlan.of(file, Map.of(), Partitioner.into(2));
        try (LocalParts running = LocalParts.start(plan, PartOptions.defaults(), SHM);
                WholeModel whole = WholeModel.open(file, plan, PartOptions.defaults());
                Tensor x = PartComparison.random(running.client(), ElementType.FLOAT32, Shape.of(3, 4), 1);
                Tensor z = PartComparison.random(running.client(), ElementType.FLOAT32, Shape.of(3, 4), 2);
                Tensor other = PartComparison.random(running.client(), ElementType.FLOAT32, Shape.of(2, 4), 3)) {
            assertEquals("input 'z' FLOAT32 [N, 4] is given as FLOAT32 [2, 4], with {N=3}",
                    assertThrows(IllegalArgumentException.class,
                            () -> running.client().send(Map.of("x", x, "z", other))).getMessage());
            PartComparison.assertSame(whole.infer(Map.of("x", x, "z", z)),
                    running.client().infer(Map.of("x", x, "z", z)));
        }
    }

    @Test
    void whatHasTwoGigabytesIsRefused() {
        String message = assertThrows(IllegalArgumentException.class,
                () -> ModelPlan.of(SmallModels.skipping(folder), Map.of("N", 1L << 25), Partitioner.into(2)))
                .getMessage();
        assertTrue(message.startsWith(
                "tensor 'x', FLOAT32 [33554432, 16], has 2147483648 bytes; ONNX Runtime's Java takes less than 2 GiB"),
                message);
    }

    @Test
    void weightsAreLoadedOnceForAllSessions() throws Exception {
        ModelPlan plan = ModelPlan.of(SmallModels.skipping(folder), Map.of("N", 5L), Partitioner.into(2));
        try (LocalParts one = LocalParts.start(plan, PartOptions.defaults(), SHM);
                LocalParts other = LocalParts.start(plan, PartOptions.defaults(), SHM, one.weights())) {
            assertEquals(SmallModels.WEIGHT_BYTE_SIZE, one.weights().byteSize());
            try (Tensor x = PartComparison.random(one.client(), ElementType.FLOAT32, Shape.of(5, 16), 8);
                    Tensor same = PartComparison.random(other.client(), ElementType.FLOAT32, Shape.of(5, 16), 8)) {
                Map<String, byte[]> expected = new LinkedHashMap<>();
                Map<String, Tensor> outputs = one.client().infer(Map.of("x", x));
                outputs.forEach((name, tensor) -> expected.put(name, tensor.memory().toArray(ValueLayout.JAVA_BYTE)));
                outputs.values().forEach(Tensor::close);
                PartComparison.assertSame(expected, other.client().infer(Map.of("x", same)));
            }
        }
    }
}
