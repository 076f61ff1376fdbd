package dev.verbena.benchmarks.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Raw puts are compared in turn, with what both tools say of the same quantity. */
class RawPutsTest {
    private static final Put LATENCY = new Put(true, 8);
    private static final Put BANDWIDTH = new Put(false, 16 << 20);
    /** Of UCX 1.13.1. */
    private static final List<String> SAMPLE = List.of(
            "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr",
            "  50,1287.334,2613.959,2613.959,6020.98,6120.98,383,383");

    @Test
    void figuresOfUcxPerftestAreFoundByTheirColumns() {
        assertEquals(1287.334, UcxPerftest.parse(SAMPLE, LATENCY));
        assertEquals(6120.98, UcxPerftest.parse(SAMPLE, BANDWIDTH));
        String said = assertThrows(IllegalStateException.class,
                () -> UcxPerftest.parse(List.of("iterations,overall_bw", "50"), BANDWIDTH)).getMessage();
        assertTrue(said.startsWith("ucx_perftest has no column overall_bw"), said);
    }

    @Test
    void figuresOfPerfAreFoundInItsJson() throws IOException {
        assertEquals(0.21, VerbenaPerf.parse("""
                {"test": "write_lat", "unit": "usec", "results": [{"MsgSize": 8, "t_avg": 3.5, "t_typical": 0.21}]}""",
                LATENCY));
        assertEquals(9000.5, VerbenaPerf.parse("""
                {"test": "write_bw", "unit": "MiB/sec", "results": [{"BW_peak": 9900, "BW_average": 9000.5}]}""",
                BANDWIDTH));
    }

    @Test
    void whatIsInstalledMeasures() throws Exception {
        assumeTrue(UcxPerftest.isInstalled(), "ucx_perftest: apt-get install ucx-utils");
        assertTrue(new UcxPerftest().measure(LATENCY, true) > 0);
        assertTrue(new UcxPerftest().measure(BANDWIDTH, true) > 0);
        assertTrue(UcxPerftest.version().matches("[0-9.]+"), UcxPerftest.version());
    }

    @Test
    void bothMeasureInTurnAndTheirRatioIsComparedWithTheTarget() throws Exception {
        List<String> turns = new ArrayList<>();
        RawPutFigures figures = new RawPuts(true, _ -> {}, (put, _) -> {
            turns.add("ucx");
            return put.isLatency() ? 0.2 : 1000;
        }, (put, _) -> {
            turns.add("verbena");
            return put.isLatency() ? 0.1 : 1100;
        }).run(2);
        assertEquals(List.of("ucx", "verbena"), turns.subList(0, 2));
        assertEquals(List.of("verbena", "ucx"), turns.subList(2 * Put.ALL.size(), 2 * Put.ALL.size() + 2));
        assertEquals(List.of("latency of a put of 8 B is 0.50 times UCX's, target <= 1.0: met",
                "latency of a put of 64 B is 0.50 times UCX's, target <= 1.0: met",
                "latency of a put of 4 KiB is 0.50 times UCX's, target <= 1.0: met",
                "bandwidth of a put of 4 KiB is 1.10 times UCX's, target >= 1.0: met",
                "bandwidth of a put of 64 KiB is 1.10 times UCX's, target >= 1.0: met",
                "bandwidth of a put of 1 MiB is 1.10 times UCX's, target >= 1.0: met",
                "bandwidth of a put of 16 MiB is 1.10 times UCX's, target >= 1.2: MISSED",
                "bandwidth of a put of 64 MiB is 1.10 times UCX's, target >= 1.2: MISSED"), figures.targets());
        assertEquals("bandwidth 64 MiB        1000.000    1100.000       MiB/s", figures.table().getLast());
        assertEquals(Put.ALL.size(), ((List<?>) figures.toMap().get("figures")).size());
        assertTrue(figures.toMap().get("targets").toString().contains("isMet=false"), figures.toMap()::toString);
    }

    @Test
    void withoutAToolTheyAreLeftOutWithTheReason() throws Exception {
        List<String> said = new ArrayList<>();
        RawPutFigures figures = new RawPuts(true, said::add, (_, _) -> {
            throw new IllegalStateException("it is not installed");
        }, new VerbenaPerf()).run(1);
        assertEquals(List.of("Raw puts are left out: it is not installed"), figures.table());
        assertEquals(figures.table().getLast(), said.getLast());
        assertEquals("it is not installed", figures.toMap().get("leftOut"));
        String ours = assertThrows(IllegalStateException.class, () -> new VerbenaPerf().measure(LATENCY, true))
                .getMessage();
        assertEquals("-Dverbena.command is not set: start it by ./verbena bench", ours);
    }
}
