package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/** What the fabric takes it gives back, and sizes are longs everywhere. */
@Timeout(120)
class ShmResourcesTest {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private static FabricPair connect() {
        return new FabricPair(ShmFabricContractTest.openShm(), ShmFabricContractTest.openShm(),
                FabricPair.Options.DEFAULT);
    }

    private static void writeOnce(FabricPair pair, MemoryRegion target) {
        WorkRequest write = pair.initiator.request(1, Opcode.WRITE).element(pair.initiator.region, 0, 8)
                .remote(target.address(), target.rkey());
        pair.run(write, SUCCESS);
    }

    @Test
    void regionsOfAConnectionComeAndGoWithoutALeak() {
        try (FabricPair pair = connect()) {
            writeOnce(pair, pair.target.region);
            LeakCheck leaks = LeakCheck.begin(SHARED_MEMORY);
            for (int i = 0; i < 3000; i++) {
                MemoryRegion region = pair.target.fabric.register(4096, EnumSet.allOf(AccessRight.class));
                if (i % 3 == 0) {
                    writeOnce(pair, region);
                }
                region.close();
            }
            // The initiator has unmapped them too, without an access that would have told it.
            leaks.assertNothingGrew();
        }
    }

    @Test
    void connectionsComeAndGoWithoutALeak() {
        try (FabricPair pair = connect()) {
            LeakCheck leaks = LeakCheck.begin(SHARED_MEMORY);
            for (int i = 1; i <= 200; i++) {
                int accepted = i + 1;
                Connection connection = pair.initiator.fabric.connect(pair.target.endpoint,
                        pair.initiator.queuePairOptions(1), 20_000_000_000L);
                pair.await("it is accepted", () -> pair.target.accepted.size() == accepted);
                int lost = i;
                if (i % 2 == 0) {
                    connection.close();
                    pair.await("the close is noticed", () -> pair.target.lost.size() == lost);
                    pair.target.accepted.get(i).close();
                } else {
                    pair.target.accepted.get(i).abort("enough");
                    pair.await("the abort is noticed", () -> connection.lostCause() != null);
                    pair.target.lost.add(null);
                    connection.close();
                }
            }
            leaks.assertNothingGrew();
        }
    }

    @Test
    void fabricsComeAndGoWithoutALeak() {
        connect().close();
        LeakCheck leaks = LeakCheck.begin(SHARED_MEMORY);
        for (int i = 0; i < 100; i++) {
            try (FabricPair pair = connect()) {
                writeOnce(pair, pair.target.region);
                assertTrue(sharedMappings() > 0, "the check looks at the wrong place");
            }
        }
        leaks.assertNothingGrew();
    }

    /** At every step of connecting: before it begins, while nobody listens, while nobody answers. */
    @Test
    void whoClosesWhileItConnectsLeavesNothing() throws IOException {
        connect().close();
        LeakCheck leaks = LeakCheck.begin(SHARED_MEMORY);
        try (ServerSocket silent = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 100; i++) {
                FabricSide side = new FabricSide(ShmFabricContractTest.openShm(), "short-lived",
                        FabricPair.Options.DEFAULT);
                Attempt ready = Attempt.begin(side, side.endpoint);
                Attempt late = Attempt.begin(side, new Endpoint("127.0.0.1", 1));
                Attempt mute = Attempt.begin(side, new Endpoint("127.0.0.1", silent.getLocalPort()));
                Attempt named = Attempt.begin(side, new Endpoint("localhost", silent.getLocalPort()));
                if (i % 2 == 0) {
                    FabricPair.await("it is connected to itself", ready::isOver, () -> side.poll(1));
                }
                side.fabric.close();
                assertTrue(ready.isOver(), "the handler of each has heard");
                List.of(late, mute, named).forEach(each -> each.assertFailed("was closed"));
            }
        }
        leaks.assertNothingGrew();
        assertFalse(Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("verbena-shm-control")), "a control thread stays");
    }

    private static long sharedMappings() {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(" /memfd:verbena")).count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void regionsBeyondFourGibibytesWork() throws IOException {
        long need = 6L << 30;
        String memory = Files.readString(Path.of("/proc/meminfo")).replaceAll("(?s).*MemAvailable: *([0-9]+) kB.*",
                "$1");
        assumeTrue(Long.parseLong(memory) * 1024 >= need, "needs 6 GiB of memory, has " + memory + " KiB");
        long byteSize = (4L << 30) + 8192;
        try (FabricPair pair = connect()) {
            MemoryRegion large = pair.target.fabric.register(byteSize, EnumSet.allOf(AccessRight.class));
            assertEquals(byteSize, large.memory().byteSize());
            long far = byteSize - 4096;
            pair.initiator.fill(0, 4096, 1);
            pair.run(pair.initiator.request(1, Opcode.WRITE).element(pair.initiator.region, 0, 4096)
                    .remote(large.address() + far, large.rkey()), SUCCESS);
            assertEquals(pair.initiator.region.memory().get(JAVA_LONG, 4088),
                    large.memory().get(JAVA_LONG, byteSize - 8));
            assertEquals(0, large.memory().get(JAVA_LONG, far - (4L << 30)), "the offset was cut to 32 bits");
            pair.run(pair.initiator.request(2, Opcode.READ).element(pair.initiator.region, 8192, 4096)
                    .remote(large.address() + far, large.rkey()), SUCCESS);
            FabricPair.assertFilled(pair.initiator, 8192, 4096, 1);
        }
    }

    @Test
    void postingAndPollingAllocateNothing() {
        try (FabricPair pair = connect()) {
            WorkRequest write = pair.initiator.request(1, Opcode.WRITE_WITH_IMMEDIATE, 0, 64, pair.target, 0);
            WorkRequest send = pair.initiator.send(2, 0, 64);
            write.next = send;
            int[] count = {0};
            CompletionHandler counter = completion -> count[0]++;
            Runnable round = () -> {
                pair.target.postReceive(1, 0, 64);
                pair.target.postReceive(2, 0, 64);
                pair.initiator.queuePair().post(write);
                pair.initiator.queue.poll(counter, 8);
                pair.target.queue.poll(counter, 8);
            };
            for (int i = 0; i < 50_000; i++) {
                round.run();
            }
            var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            int rounds = 100_000;
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                round.run();
            }
            long perRound = (threads.getCurrentThreadAllocatedBytes() - before) / rounds;
            assertEquals(4 * (50_000 + rounds), count[0]);
            assertEquals(0, perRound, "bytes per round");
        }
    }
}
