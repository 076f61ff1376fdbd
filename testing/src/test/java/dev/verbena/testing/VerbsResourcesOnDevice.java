package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;

/** What the verbs fabric takes of the process, of the kernel and of the device, it gives back. */
@Timeout(780)
class VerbsResourcesOnDevice {
    /** With {@code -Dverbena.resources.rounds=10000}, for eight minutes in an emulated machine, what each leaves shows in pages, too. */
    private static final int ROUNDS = Integer.getInteger("verbena.resources.rounds", 2_500);
    /** Through the connection manager a round takes the kernel, and emulated machines, several times as long. */
    private static final int ROUNDS_BY_CM = 1_000;
    /** Bytes that a round may leave behind in the C library's memory, as far as they cannot be told from what the JVM does there. */
    private static final long ALLOCATED_PER_ROUND_MAX = 2_048;
    /** In pages, where nothing that is smaller than the garbage collector's doings shows. */
    private static final long RESIDENT_GROWTH_MAX = 16 << 20;
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s*(\\d+) kB");

    /**
     * What this process holds.
     *
     * @param objects of the device, by kind, as the kernel counts them
     * @param allocated bytes, by the C library
     * @param resident bytes
     */
    private record Holdings(int descriptors, String objects, long allocated, long resident) {}

    @Test
    void connectionsAndRegionsComeAndGoWithoutALeak() throws Exception {
        assumeTrue(AllocatedMemory.problem() == null, AllocatedMemory.problem());
        NetworkOptions network = TestNetwork.ofEnvironment().withCompletionMode(CompletionMode.POLLING);
        int rounds = TestNetwork.has(network, "connect", "cm") ? ROUNDS_BY_CM : ROUNDS;
        // After so many everything that is made once is there, code compiled by the JIT for the most part.
        int warmUp = rounds / 5;
        try (FabricPair pair = new FabricPair(VerbsFabricContractOnDevice.open(network),
                VerbsFabricContractOnDevice.open(network), FabricPair.Options.DEFAULT)) {
            pair.target.accepted.clear();
            rounds(pair, warmUp);
            Holdings before = holdings();
            MemoryRegion more = pair.target.fabric.register(4096, EnumSet.allOf(AccessRight.class));
            assertTrue(!holdings().objects.equals(before.objects), "the check does not see a region: " + before);
            more.close();

            rounds(pair, rounds - warmUp);

            pair.await("the control threads have closed the last connection's sockets",
                    () -> descriptors() <= before.descriptors);
            Holdings after = holdings();
            assertEquals(before.objects, after.objects);
            assertTrue(after.descriptors <= before.descriptors, before + " and then " + after);
            assertTrue(after.allocated - before.allocated < (rounds - warmUp) * ALLOCATED_PER_ROUND_MAX,
                    before + " and then " + after);
            assertTrue(after.resident - before.resident < RESIDENT_GROWTH_MAX, before + " and then " + after);
        }
    }

    private static void rounds(FabricPair pair, int count) {
        for (int i = 0; i < count; i++) {
            try (MemoryRegion region = pair.target.fabric.register(4096, EnumSet.allOf(AccessRight.class))) {
                Connection connection = pair.initiator.fabric.connect(pair.target.endpoint,
                        pair.initiator.queuePairOptions(1), 20_000_000_000L);
                pair.await("it is accepted", () -> !pair.target.accepted.isEmpty());
                connection.queuePairs().getFirst().post(pair.initiator.request(i, Opcode.WRITE)
                        .element(pair.initiator.region, 0, 4096).remote(region.address(), region.rkey()));
                pair.next(pair.initiator, i, SUCCESS);
                connection.close();
                pair.await("the close is noticed", () -> !pair.target.lost.isEmpty());
                pair.target.accepted.removeFirst().close();
                pair.target.lost.clear();
                pair.target.requests.clear();
            }
        }
    }

    /** The least of several: what the compiler has for a moment does not count, nor what the JVM is still about to free with objects. */
    private static long allocated() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(200);
            least = Math.min(least, AllocatedMemory.byteSize());
        }
        return least;
    }

    private static Holdings holdings() throws IOException, InterruptedException {
        long allocated = allocated();
        Matcher resident = RESIDENT.matcher(Files.readString(Path.of("/proc/self/status")));
        assertTrue(resident.find());
        return new Holdings(descriptors(), objects(), allocated,
                Long.parseLong(resident.group(1)) << 10);
    }

    private static int descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return (int) open.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String objects() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of("rdma", "resource", "show")).redirectErrorStream(true).start();
        process.getOutputStream().close(); // Else the garbage collector does, some time.
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        return said.strip();
    }
}
