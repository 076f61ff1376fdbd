package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import com.fasterxml.jackson.jr.ob.JSON;

/** A smoke test: batches of each size arrive whole by each way, which their readers check, and each has a line. */
class StreamsBenchmarkTest {
    private static final int FEW = 1_000;

    /** As {@code benchmarks/run} gives it. */
    @BeforeEach
    void readOption() throws IOException {
        String run = Files.readString(Path.of(System.getProperty("verbena.home"), "benchmarks/run"));
        Matcher option = Pattern.compile("-D" + StreamsBenchmark.FLIGHT_OPTION + "=(\\S+)").matcher(run);
        assertTrue(option.find(), "benchmarks/run says what Flight needs");
        System.setProperty(StreamsBenchmark.FLIGHT_OPTION, option.group(1));
    }

    @AfterEach
    void forgetOption() {
        System.clearProperty(StreamsBenchmark.FLIGHT_OPTION);
    }

    @Test
    void eachSizeAndWayHasALine() throws Exception {
        try (StreamsBenchmark benchmark = new StreamsBenchmark()) {
            benchmark.round(FEW);
            benchmark.round(FEW);
            List<String> table = benchmark.table();
            assertEquals(1 + 3 * StreamsBenchmark.Way.values().length, table.size());
            assertTrue(table.get(3).matches("64 KiB +Flight .* 1\\.0 x"), table.get(3));
            assertTrue(table.get(1).matches("64 KiB +copied .* x +>= 5 x (met|missed)"), table.get(1));
            Map<String, Object> json = JSON.std.mapFrom(benchmark.json());
            assertEquals(2, json.get("rounds"));
            assertEquals(9, ((List<?>) json.get("figures")).size());
        }
    }
}
