package dev.verbena.onnxruntime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A smoke test: both ways compute what one session does, before and after they are measured. */
class PartsBenchmarkTest {
    /** Relu, Tanh, Neg, and the sum of the first and the last; of x [8, 16]. */
    private static final String MODEL = "CAg6dgoPCgF4EgFyGgFyIgRSZWx1Cg8KAXISAXQaAXQiBFRhbmgKDgoBdBIBbhoBbiIDTmVnChEKAW4KAXISAXkaAXkiA0FkZBIF"
            + "Y2hhaW5aEwoBeBIOCgwIARIICgIICAoCCBBiEwoBeRIOCgwIARIICgIICAoCCBBCBAoAEBE=";

    @TempDir
    private Path folder;

    @Test
    void eachWayComputesTheSameAndHasALine() throws Exception {
        Path file = Files.write(folder.resolve("chain.onnx"), Base64.getDecoder().decode(MODEL));
        try (PartsBenchmark benchmark = new PartsBenchmark(file, 2)) {
            benchmark.verify();
            benchmark.warmUp(2);
            benchmark.round(3);
            benchmark.round(3);
            benchmark.verify();
            List<String> table = benchmark.table();
            assertEquals(1 + PartsBenchmark.Way.values().length, table.size());
            assertTrue(table.get(1).matches("one session +[0-9.]+ +1\\.000 .*"), table.get(1));
            assertTrue(table.get(3).matches("parts, gRPC .* 1\\.000"), table.get(3));
        }
    }
}
