package dev.verbena.transfer.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.AfterEach;
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
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/** Processes with another shared-memory directory, in other namespaces, or of another user, made with unshare(1) and setpriv(1). */
@Timeout(60)
class EnvironmentTest {
    @TempDir
    Path directory;

    private final Target target = new Target();

    @AfterEach
    void close() {
        target.close();
    }

    /** Runs a shell script in namespaces of its own, with $JAVA and $MAIN. @return what it printed */
    private static String runUnshared(String flags, String script, Class<?> main) throws Exception {
        return runAs("unshare " + flags + " --fork", script, main);
    }

    /** The same behind another command. */
    private static String runAs(String command, String script, Class<?> main) throws Exception {
        assumeTrue(isPossible(command), "needs " + command + ", which this machine does not allow");
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.addAll(List.of("sh", "-ec", script));
        ProcessBuilder builder = new ProcessBuilder(words);
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

    private static boolean isPossible(String command) throws InterruptedException {
        try {
            return new ProcessBuilder((command + " true").split(" ")).start().waitFor() == 0;
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

    /** As the containers of a pod do, which share a network and no process ids. */
    @Test
    void processesOfAnotherPidNamespaceConnect() throws Exception {
        assertLands(runUnshared("-mp", "mount -t proc none /proc; $JAVA $MAIN " + target.arguments(),
                OtherProcess.class));
    }

    /** There the kernel shows nobody's files to anybody. */
    @Test
    void anotherUserNamespaceIsRefusedWithTheReason() throws Exception {
        String output = runUnshared("-rmp", "mount -t proc none /proc; $JAVA $MAIN " + target.arguments(),
                OtherProcess.class);
        assertTrue(output.contains("cannot connect to " + target.endpoint) && output.contains("in one user namespace"),
                output);
    }

    /** It keeps the right to read the class path, wherever that lies. */
    @Test
    void anotherUserIsRefusedByName() throws Exception {
        assumeTrue(UnixSocket.ownUser() == 0, "needs root, to become somebody else");
        String output = runAs("setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+dac_read_search"
                + " --ambient-caps=+dac_read_search", "$JAVA $MAIN " + target.arguments(), OtherProcess.class);
        assertTrue(output.contains("it runs as user 0, this side as user 65534"), output);
        assertEquals(List.of(), target.requests);
    }

    private void assertLands(String output) {
        assertTrue(output.contains("written"), output);
        assertEquals(77, target.region.memory().get(JAVA_LONG, 0));
    }

    /** A fabric that others connect to and write to. */
    private static final class Target implements ConnectionHandler, AutoCloseable {
        private final Fabric fabric = new ShmFabricProvider().open(NetworkOptions.defaults());
        private final CompletionQueue queue = fabric.createCompletionQueue(16);
        private final MemoryRegion region = fabric.register(4096, EnumSet.allOf(AccessRight.class));
        private final List<String> requests = new CopyOnWriteArrayList<>();
        private final Endpoint endpoint = fabric.listen(new Endpoint("127.0.0.1", 0), "outside", this);

        String arguments() {
            return endpoint.port() + " " + region.address() + " " + region.rkey();
        }

        @Override
        public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
            requests.add(peerName);
            return List.of(new QueuePairOptions(queue, 8, 8, 0));
        }

        @Override
        public void onAccepted(Connection connection) {}

        @Override
        public void onLost(Connection connection, boolean orderly, String cause) {}

        @Override
        public void close() {
            fabric.close();
        }
    }

    /** Connects to the port in its first argument and writes to the address and rkey behind it, or prints why it cannot. */
    static final class OtherProcess {
        public static void main(String[] arguments) {
            try (Fabric fabric = new ShmFabricProvider().open(NetworkOptions.defaults())) {
                CompletionQueue queue = fabric.createCompletionQueue(16);
                MemoryRegion region = fabric.register(4096, Set.of());
                region.memory().set(JAVA_LONG, 0, 77);
                Connection connection = fabric.connect(new Endpoint("127.0.0.1", Integer.parseInt(arguments[0])),
                        List.of(new QueuePairOptions(queue, 8, 8, 0)), 20_000_000_000L);
                connection.queuePairs().getFirst().post(new WorkRequest(1).reset(1, Opcode.WRITE)
                        .element(region, 0, 8).remote(Long.parseLong(arguments[1]), Long.parseLong(arguments[2])));
                CompletionStatus[] status = new CompletionStatus[1];
                while (queue.poll(completion -> status[0] = completion.status, 1) == 0) {
                    queue.await(1_000_000_000L);
                }
                System.out.println(status[0] == CompletionStatus.SUCCESS ? "written" : "failed: " + status[0]);
            } catch (TransferException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
