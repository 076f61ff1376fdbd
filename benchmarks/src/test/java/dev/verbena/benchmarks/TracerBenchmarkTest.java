package dev.verbena.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

class TracerBenchmarkTest {
    @Test
    void aQuickRoundHasALineForEachWayAndSize() throws Exception {
        TracerBenchmark benchmark = new TracerBenchmark();
        benchmark.round(true);
        List<String> table = benchmark.table();
        assertEquals(1 + 3 * TracedIteration.Traced.values().length, table.size(), table::toString);
        assertTrue(table.get(1).matches(" +4096 nodes later +\\d+ +\\d+ +\\d+\\.\\d{4} +1\\.01 .*"), table.get(1));
        assertTrue(table.get(7).matches(" +65536 nodes first +\\d+ +\\d+ +\\d+\\.\\d{4} +1\\.3 .*"), table.get(7));
    }
}
