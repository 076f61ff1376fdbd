package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What peers cost that are connected and say nothing. */
@Timeout(120)
class ManyPeersTest {
    private static final int PEERS = 256;
    private static final long REGISTERED_BYTE_SIZE_MAX = 64 << 10;
    private static final long HEAP_BYTE_SIZE_MAX = 100_000;
    private static final int COLLECTIONS = 5;
    private static final long SHARED_BYTE_SIZE = 1L << 30;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final String ECHO = "echo";

    private final List<RdmaDevice> devices = new ArrayList<>();

    private RdmaDevice device(String name) {
        // With queues as deep as anybody's who has not chosen.
        RdmaDevice device = RdmaDevice.create(RdmaDeviceOptions.defaults(NetworkOptions.defaults()).withFabric("shm")
                .withName(name));
        device.handle(ECHO, (_, request) -> request);
        devices.add(device);
        return device;
    }

    @AfterEach
    void close() {
        devices.forEach(RdmaDevice::close);
    }

    /** What is left when nothing goes any more: what cleaners hold, goes with the collection behind theirs. */
    private static long heapByteSize() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        return least;
    }

    @Test
    void anIdlePeerTakesLittle() throws IOException {
        String memory = Files.readString(Path.of("/proc/meminfo")).replaceAll("(?s).*MemAvailable: *([0-9]+) kB.*",
                "$1");
        assumeTrue(Long.parseLong(memory) * 1024 >= SHARED_BYTE_SIZE,
                "needs " + SHARED_BYTE_SIZE + " bytes of memory, has " + memory + " KiB");
        RdmaDevice hub = device("hub");
        for (int i = 0; i < PEERS; i++) {
            device("peer " + i);
        }
        hub.call(devices.get(1).endpoint(), ECHO, new byte[1], TIMEOUT);
        long registered = hub.statistics().registeredByteSize();
        long heap = heapByteSize();
        for (RdmaDevice peer : devices.subList(2, devices.size())) {
            assertArrayEquals(new byte[]{7}, hub.call(peer.endpoint(), ECHO, new byte[]{7}, TIMEOUT));
        }
        int more = PEERS - 1;
        long registeredEach = (hub.statistics().registeredByteSize() - registered) / more;
        assertTrue(registeredEach <= REGISTERED_BYTE_SIZE_MAX, "registered bytes of a peer: " + registeredEach);
        // Both ends are in this heap.
        long heapEach = (heapByteSize() - heap) / more / 2;
        assertTrue(heapEach <= HEAP_BYTE_SIZE_MAX, "heap bytes of a peer: " + heapEach);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8_000, 8_171, 8_172, 8_173, 8_192, 20_000, 65_000})
    void messagesTravelInAsManyFragmentsAsTheyNeed(int byteSize) {
        RdmaDevice there = device("there");
        RdmaDevice here = device("here");
        byte[] request = new byte[byteSize];
        new Random(byteSize).nextBytes(request);
        for (int i = 0; i < 20; i++) {
            assertArrayEquals(request, here.call(there.endpoint(), ECHO, request, TIMEOUT));
        }
    }
}
