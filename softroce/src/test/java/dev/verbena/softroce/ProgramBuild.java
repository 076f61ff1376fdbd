package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;

/** Builds the program on this machine, for guests to run. */
final class ProgramBuild {
    private ProgramBuild() {}

    static void run() throws IOException, InterruptedException {
        Process build = new ProcessBuilder(Guests.HOME.resolve("verbena").toString(), "--version")
                .redirectErrorStream(true).start();
        String said = new String(build.getInputStream().readAllBytes());
        assertEquals(0, build.waitFor(), said);
    }
}
