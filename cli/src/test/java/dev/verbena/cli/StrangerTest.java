package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who has the README alone, in a container without caches, trains, and runs its example: {@code distribution/stranger}. */
class StrangerTest {
    private static final String ASKED = "verbena.stranger";

    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES)
    void followsTheReadme() throws Exception {
        assumeTrue(Boolean.getBoolean(ASKED),
                "skipped: it fetches a system and all dependencies; give -D" + ASKED + "=true");
        Process stranger = new ProcessBuilder(Repository.root().resolve("distribution/stranger").toString())
                .redirectErrorStream(true).start();
        try {
            String said = new String(stranger.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, stranger.waitFor(), said);
            for (String step : List.of("to a trained model: ", "in the local repository: ", "the example has run: ")) {
                assertTrue(said.matches("(?s).*" + step + "\\d+ s\\n.*"), said);
            }
        } finally {
            stranger.descendants().forEach(ProcessHandle::destroy);
            stranger.destroy();
        }
    }
}
