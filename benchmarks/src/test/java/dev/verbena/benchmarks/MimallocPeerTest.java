package dev.verbena.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the C program is called and understood, with a script in its place. */
class MimallocPeerTest {
    private static final Workload WORKLOAD = new Workload(1, new int[]{0}, new long[]{64}, 64);

    @TempDir
    private Path folder;

    @Test
    void theMiddleStretchCounts() throws Exception {
        Path called = folder.resolve("called");
        MimallocPeer peer = peer("printf '%s ' \"$@\" > " + called + "; wc -c < \"$2\"; echo 3.5; echo 1.5");
        assertEquals(3.5, peer.run("replace", WORKLOAD));
        assertTrue(Files.readString(called).matches("replace \\S+ 1500 200 7 "), Files.readString(called));
        assertEquals(3.5, peer.pairsByThreads(WORKLOAD, 16));
        assertTrue(Files.readString(called).matches("threads \\S+ 1500 200 7 16 "), Files.readString(called));
        assertEquals("209", peer("echo 209").version());
    }

    @Test
    void aFailureIsNoFigure() throws IOException {
        for (String script : new String[]{"echo 3.5; exit 1", "exit 0"}) {
            MimallocPeer peer = peer(script);
            assertTrue(assertThrows(IllegalStateException.class, () -> peer.run("replay", WORKLOAD)).getMessage()
                    .startsWith("the C peer failed: "));
        }
    }

    @Test
    void withoutAProgramThereIsNoFigure() throws Exception {
        assertTrue(Double.isNaN(new MimallocPeer(null, Pace.quick()).run("replace", WORKLOAD)));
    }

    private MimallocPeer peer(String script) throws IOException {
        Path program = Files.createTempFile(folder, "peer", "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        return new MimallocPeer(program, Pace.thorough(1));
    }
}
