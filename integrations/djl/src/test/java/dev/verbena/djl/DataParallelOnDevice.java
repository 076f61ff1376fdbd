package dev.verbena.djl;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two processes over RDMA, this one and a child: few steps, for an emulated processor computes them slowly. */
@Timeout(1200)
class DataParallelOnDevice {
    private static final String LIBRARY_PATH = "PYTORCH_LIBRARY_PATH";

    /** As the tests on the host have it: unpacked by the build. */
    @BeforeAll
    static void findPyTorch() {
        if (System.getProperty(LIBRARY_PATH) == null) {
            System.setProperty(LIBRARY_PATH, Path.of(System.getProperty("verbena.home", "../.."))
                    .resolve("integrations/djl/target/pytorch").toString());
        }
    }

    /** On soft-iWARP the larger model only with {@code -Dverbena.models.large=true}: it is another adapter, but no other way of ours. */
    @ParameterizedTest
    @CsvSource({"mlp, 6", "cnn, 3"})
    void twoLearnAsOneWithTheDoubledBatch(String kind, int steps) throws Exception {
        assumeTrue(kind.equals("mlp") || !String.valueOf(System.getenv("VERBENA_TEST_DEVICE")).startsWith("siw")
                || Boolean.getBoolean("verbena.models.large"), "skipped: give -Dverbena.models.large=true");
        List<Double> losses = TwoBesideOne.learn(kind, "verbs", steps);
        assertTrue(losses.getLast() < losses.getFirst(), "they learn: " + losses);
    }
}
