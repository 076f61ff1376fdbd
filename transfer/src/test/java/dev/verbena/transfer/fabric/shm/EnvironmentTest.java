package dev.verbena.transfer.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Prefault;
import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePairOptions;

/** Processes with another shared-memory directory or in another PID namespace, made with unshare(1). */
@Timeout(60)
class EnvironmentTest {
    @TempDir
    Path directory;

    /** Runs a shell script in namespaces of its own, with $JAVA and $MAIN. @return what it printed */
    private static String runUnshared(String flags, String script, Class<?> main) throws Exception {
        assumeTrue(canUnshare(flags), "needs unshare " + flags + ", which this machine does not allow");
        ProcessBuilder builder = new ProcessBuilder("unshare", flags, "--fork", "sh", "-ec", script);
        builder.environment().put("JAVA",
                System.getProperty("java.home") + "/bin/java --enable-native-access=ALL-UNNAMED"
                        + " -XX:+UseSerialGC -XX:-UsePerfData -XX:TieredStopAtLevel=1 -Xmx64m");
        builder.environment().put("CLASSPATH",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        builder.environment().put("MAIN", main.getName());
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    private static boolean canUnshare(String flags) throws InterruptedException {
        try {
            return new ProcessBuilder("unshare", flags, "--fork", "true").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aSmallDirectoryNamedInTheEnvironmentRunsOutCleanly() throws Exception {
        String output = runUnshared("-rm",
                "mount -t tmpfs -o size=1m none " + directory + "; VERBENA_SHM_DIR=" + directory
                        + " $JAVA $MAIN; ls -A " + directory,
                SmallDirectory.class);
        assertTrue(output.contains("asked beforehand: not enough shared memory: need 2097152 bytes, have "), output);
        assertTrue(output.contains("found in the act: not enough shared memory: need 2097152 bytes, have "), output);
        assertTrue(output.contains("found while pre-faulting: the system refused memory: madvise"), output);
        assertTrue(output.contains(" in " + directory), output);
        assertTrue(output.strip().endsWith("all of it came back"), output);
    }

    /** Runs where the directory holds 1 MiB. */
    static final class SmallDirectory {
        public static void main(String[] arguments) {
            ShmFiles directory = ShmFiles.ofEnvironment();
            long before = directory.availableByteSize();
            try (Fabric fabric = new ShmFabricProvider().open(NetworkOptions.defaults());
                    MemoryRegion region = fabric.register(256 << 10, EnumSet.noneOf(AccessRight.class))) {
                region.memory().fill((byte) 1);
                try {
                    fabric.register(2 << 20, Set.of());
                } catch (OutOfArenaMemoryException e) {
                    System.out.println("asked beforehand: " + e.getMessage());
                }
                try {
                    SharedFile.allocate(directory, 2 << 20).close();
                } catch (OutOfArenaMemoryException e) {
                    System.out.println("found in the act: " + e.getMessage());
                }
                try {
                    SharedFile.map(SharedFile.open(directory), false, 2 << 20,
                            memory -> Prefault.commit(memory, SlabOptions.defaults())).close();
                } catch (OutOfArenaMemoryException e) {
                    System.out.println("found while pre-faulting: " + e.getMessage());
                }
            }
            System.out
                    .println(directory.availableByteSize() == before ? "all of it came back" : "something is missing");
        }
    }

    @Test
    void anotherPidNamespaceIsRefusedWithTheReason() throws Exception {
        try (Fabric fabric = new ShmFabricProvider().open(NetworkOptions.defaults())) {
            Endpoint endpoint = fabric.listen(new Endpoint("127.0.0.1", 0), "outside", new RefusedAnyway());
            String output = runUnshared("-rmp", "mount -t proc none /proc; $JAVA $MAIN " + endpoint.port(),
                    OtherNamespace.class);
            assertTrue(output.contains("cannot connect to " + endpoint) && output.contains("PID namespace"), output);
        }
    }

    /** Connects to the port in its first argument and prints why it cannot. */
    static final class OtherNamespace {
        public static void main(String[] arguments) {
            try (Fabric fabric = new ShmFabricProvider().open(NetworkOptions.defaults())) {
                QueuePairOptions options = new QueuePairOptions(fabric.createCompletionQueue(16), 8, 8, 0);
                fabric.connect(new Endpoint("127.0.0.1", Integer.parseInt(arguments[0])), List.of(options),
                        20_000_000_000L);
            } catch (TransferException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /** Must never be asked. */
    private static final class RefusedAnyway implements ConnectionHandler {
        @Override
        public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
            throw new AssertionError("asked for " + peerName);
        }

        @Override
        public void onAccepted(Connection connection) {}

        @Override
        public void onLost(Connection connection, boolean orderly, String cause) {}
    }
}
