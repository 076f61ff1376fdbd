package dev.verbena.onnxruntime;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaDeviceOptions;

/** What parts compute together is what one session computes, bit for bit, where a device sends it from where it was computed. */
@Timeout(1200)
class PartedModelsOnDevice {
    private static final Path LIGHT = Path.of(System.getProperty("verbena.home", "../.."))
            .resolve("../shared/data/onnx/light_bvlc_alexnet.onnx");

    @TempDir
    private Path folder;

    private static PartComparison comparison(int inferences) {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv());
        String device = System.getenv("VERBENA_TEST_DEVICE");
        return new PartComparison(RdmaDeviceOptions.defaults().withFabric("verbs")
                .withNetwork(device == null ? network : network.withDevice(device)), inferences);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aSmallModelWhoseFirstOutputIsUsedByTheLastPartToo(int parts) throws Exception {
        comparison(PartComparison.INFERENCES).compare(SmallModels.skipping(folder), Map.of("N", 5L), parts, Map.of());
    }

    @Test
    void whatIsOpenUntilAnInferenceSaysIsReadFromWhereItIsComputed() throws Exception {
        comparison(PartComparison.INFERENCES).compare(SmallModels.skipping(folder), Map.of(), 3, Map.of("N", 7L));
    }

    /**
     * The one that takes fewest operations, and as few inferences as use memory and slots again: with {@code -Dverbena.models.large=true}, for up to
     * eleven minutes in an emulated machine.
     */
    @Test
    void aLightModel() throws Exception {
        assumeTrue(Boolean.getBoolean("verbena.models.large"), "skipped: give -Dverbena.models.large=true");
        assumeTrue(Files.exists(LIGHT), () -> "no such file: " + LIGHT);
        comparison(2).compare(LIGHT, Map.of(), 3, Map.of());
    }
}
