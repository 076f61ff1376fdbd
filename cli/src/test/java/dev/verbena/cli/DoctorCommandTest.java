package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import com.fasterxml.jackson.jr.ob.JSON;

class DoctorCommandTest {
    @Test
    void aUsableMachineIsStatusZero() throws Exception {
        try (CommandRun run = CommandRun.start("doctor", "--json")) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            Map<String, Object> diagnosis = JSON.std.mapFrom(run.output());
            assertTrue(((List<?>) diagnosis.get("usable")).contains("shm"), diagnosis::toString);
        }
    }

    @Test
    void aRunThatFitsNowhereIsStatusOne() throws Exception {
        try (CommandRun run = CommandRun.start(List.of(), Map.of("VERBENA_SHM_DIR", "/none", "RDMA_DEVICE", "none0"),
                "doctor")) {
            assertEquals(ExitStatus.FAILED, run.await(), run::output);
            assertTrue(run.output().endsWith("\nno fabric can be used\n"), run.output());
            assertTrue(run.output().contains("/none is not there"), run.output());
        }
    }

    @Test
    void badOptionsAreStatusTwo() throws Exception {
        for (String option : List.of("--registers=0", "--registers=x", "--rdma-port=0")) {
            try (CommandRun run = CommandRun.start("doctor", option)) {
                assertEquals(ExitStatus.BAD_INPUT, run.await(), run::output);
                assertTrue(run.errors().contains(option.substring(0, option.indexOf('='))), run.errors());
            }
        }
    }
}
