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
            int counted = ((Map<?, ?>) diagnosis.get("counts")).values().stream().mapToInt(Integer.class::cast).sum();
            assertEquals(((List<?>) diagnosis.get("findings")).size(), counted, diagnosis::toString);
        }
    }

    @Test
    void aRunThatFitsNowhereIsStatusOne() throws Exception {
        try (CommandRun run = CommandRun.start(List.of(), Map.of("VERBENA_SHM_DIR", "/none", "RDMA_DEVICE", "none0"),
                "doctor")) {
            assertEquals(ExitStatus.FAILED, run.await(), run::output);
            List<String> lines = run.output().lines().toList();
            assertTrue(lines.getFirst().matches("findings: \\d+ ok, \\d+ warnings?, [1-9]\\d* problems?"),
                    run.output());
            assertEquals(List.of("no fabric can be used", ""), lines.subList(1, 3), run.output());
            assertTrue(lines.get(3).startsWith("problem  "), run.output());
            assertTrue(run.output().contains("/none is not there"), run.output());
        }
    }

    /** Its output is a file here. */
    @Test
    void coloursAreForTerminalsUnlessAskedFor() throws Exception {
        assertColoured(false, Map.of(), "doctor");
        assertColoured(true, Map.of(), "doctor", "--color=always");
        assertColoured(true, Map.of("CLICOLOR_FORCE", "1"), "doctor");
        assertColoured(false, Map.of("CLICOLOR_FORCE", "1", "NO_COLOR", "1"), "doctor", "--color=auto");
        assertColoured(false, Map.of("CLICOLOR_FORCE", "1"), "doctor", "--color=never");
    }

    private static void assertColoured(boolean isColoured, Map<String, String> environment, String... arguments)
            throws Exception {
        try (CommandRun run = CommandRun.start(List.of(), environment, arguments)) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertEquals(isColoured, run.output().contains("\u001b["), run.output());
        }
    }

    @Test
    void badOptionsAreStatusTwo() throws Exception {
        for (String option : List.of("--registers=0", "--registers=x", "--rdma-port=0", "--color=red")) {
            try (CommandRun run = CommandRun.start("doctor", option)) {
                assertEquals(ExitStatus.BAD_INPUT, run.await(), run::output);
                assertTrue(run.errors().contains(option.substring(0, option.indexOf('='))), run.errors());
            }
        }
    }
}
