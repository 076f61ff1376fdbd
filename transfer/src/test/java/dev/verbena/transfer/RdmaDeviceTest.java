package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.GivenSlabSource;
import dev.verbena.memory.PageKind;
import dev.verbena.memory.Shape;
import dev.verbena.memory.SlabOptions;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.spi.MemoryRegion;

class RdmaDeviceTest {
    /** What the JVM itself may open meanwhile; a leak would be one per round. */
    private static final int DESCRIPTOR_SLACK = 5;
    /** Two connections may overlap once, and once more; a leak would be half a MiB per round. */
    private static final long REGISTERED_SLACK = 2 << 20;

    private static RdmaDeviceOptions options() {
        return DevicePair.options(ArrivalMode.AUTO);
    }

    private static RemoteRegion described(MemoryRegion region) {
        return new RemoteRegion(region.address(), region.memory().byteSize(), region.rkey());
    }

    private static TransferException copy(RdmaChannel channel, MemoryRegion local, RemoteRegion remote, long byteSize,
            Direction direction) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        AtomicReference<TransferException> failure = new AtomicReference<>();
        assertEquals(SendResult.SENT, channel.memcpy(local, 0, remote, 0, byteSize, direction, e -> {
            failure.set(e);
            done.countDown();
        }));
        assertTrue(done.await(20, TimeUnit.SECONDS));
        return failure.get();
    }

    @Test
    void memoryIsAsAskedOrSaysWhyNot() throws InterruptedException {
        AtomicLong committed = new AtomicLong();
        SlabOptions memory = SlabOptions.defaults().withPages(PageKind.RESERVED_HUGE).withPrefaultThreads(2)
                .withPrefaultListener((done, byteSize) -> committed.set(done));
        try (DevicePair pair = new DevicePair(options());
                MemoryRegion near = pair.sender.allocateRegion(100_000, memory);
                MemoryRegion far = pair.receiver.allocateRegion(100_000, memory);
                TensorArena arena = TensorArena.create(pair.sender.slabSource(memory), 1 << 20, 1 << 20);
                Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(64))) {
            assertEquals(PageKind.RESERVED_HUGE, tensor.slab().backing().asked());
            assertEquals(tensor.slab().backing().pages() == PageKind.RESERVED_HUGE,
                    tensor.slab().backing().reasons().isEmpty());
            assertEquals(tensor.slab().memory().byteSize(), committed.get());
            assertTrue(pair.sender.isRegistered(tensor.slab()));
            near.memory().set(ValueLayout.JAVA_BYTE, 99_999, (byte) 7);
            assertNull(copy(pair.channel(), near, described(far), 100_000, Direction.LOCAL_TO_REMOTE));
            assertEquals(7, far.memory().get(ValueLayout.JAVA_BYTE, 99_999));
        }
    }

    /** An arena over a region of the caller, which stays registered when the arena is closed. */
    @Test
    void tensorsOfAGivenRegionAreRegistered() {
        try (DevicePair pair = new DevicePair(options()); MemoryRegion region = pair.sender.allocateRegion(1 << 20)) {
            long registrations = pair.sender.statistics().registrations();
            for (int i = 0; i < 2; i++) {
                try (TensorArena arena = TensorArena.create(new GivenSlabSource(region), 0, 1 << 20);
                        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(64))) {
                    assertTrue(pair.sender.isRegistered(tensor.slab()));
                    assertFalse(pair.receiver.isRegistered(tensor.slab()));
                }
            }
            assertEquals(registrations, pair.sender.statistics().registrations());
        }
    }

    @Test
    void memcpyBothWays() throws InterruptedException {
        RdmaDevice small = RdmaDevice.create(options().withName("sender"),
                new SmallMessageFabric(Fabrics.select("shm", NetworkOptions.defaults()).open(NetworkOptions.defaults()),
                        4096));
        try (DevicePair pair = new DevicePair(small, RdmaDevice.create(options().withName("receiver")));
                MemoryRegion near = pair.sender.allocateRegion(100_000);
                MemoryRegion far = pair.receiver.allocateRegion(100_000)) {
            RdmaChannel channel = pair.channel();
            assertEquals("receiver", channel.peerName());
            near.memory().fill((byte) 5);
            assertNull(copy(channel, near, described(far), 99_999, Direction.LOCAL_TO_REMOTE));
            assertEquals(99_999, near.memory().mismatch(far.memory()));
            far.memory().fill((byte) 6);
            assertNull(copy(channel, near, described(far), 100_000, Direction.REMOTE_TO_LOCAL));
            assertEquals(-1, near.memory().mismatch(far.memory()));
        }
    }

    @Test
    void memcpyChecksItsRangesHereAndThere() throws InterruptedException {
        try (DevicePair pair = new DevicePair(options());
                MemoryRegion near = pair.sender.allocateRegion(8192);
                MemoryRegion far = pair.receiver.allocateRegion(4096)) {
            RdmaChannel channel = pair.channel();
            RemoteRegion remote = described(far);
            assertThrows(IndexOutOfBoundsException.class,
                    () -> channel.memcpy(near, 8000, remote, 0, 193, Direction.LOCAL_TO_REMOTE, null));
            assertThrows(IndexOutOfBoundsException.class,
                    () -> channel.memcpy(near, 0, remote, 1, 4096, Direction.LOCAL_TO_REMOTE, null));
            assertThrows(IllegalArgumentException.class,
                    () -> channel.memcpy(far, 0, remote, 0, 1, Direction.LOCAL_TO_REMOTE, null));
            RemoteRegion forged = new RemoteRegion(remote.address(), 8192, remote.rkey());
            TransferException failure = copy(channel, near, forged, 8192, Direction.LOCAL_TO_REMOTE);
            assertNotNull(failure);
            assertTrue(failure.getMessage().contains("REMOTE_ACCESS_ERROR"), failure.getMessage());
            assertTrue(failure.getMessage().contains("receiver"), failure.getMessage());
        }
    }

    @Test
    void callsAreAnsweredByName() {
        try (DevicePair pair = new DevicePair(options())) {
            pair.receiver.handle("echo", (peer, request) -> {
                assertEquals("sender", peer);
                return request;
            });
            pair.receiver.handle("broken", (peer, request) -> {
                throw new IllegalStateException("out of coffee");
            });
            Endpoint remote = pair.receiver.endpoint();
            byte[] request = "hello".getBytes();
            assertArrayEquals(request, pair.sender.call(remote, "echo", request, DevicePair.TIMEOUT));
            byte[] large = new byte[65_000];
            assertArrayEquals(large, pair.sender.call(remote, "echo", large, DevicePair.TIMEOUT));
            TransferException unknown = assertThrows(TransferException.class,
                    () -> pair.sender.call(remote, "none", request, DevicePair.TIMEOUT));
            assertTrue(unknown.getMessage().contains("no method 'none'"), unknown.getMessage());
            TransferException broken = assertThrows(TransferException.class,
                    () -> pair.sender.call(remote, "broken", request, DevicePair.TIMEOUT));
            assertTrue(broken.getMessage().contains("out of coffee"), broken.getMessage());
            assertThrows(TransferException.class,
                    () -> pair.sender.call(remote, "echo", new byte[65_536], DevicePair.TIMEOUT));
            assertThrows(IllegalArgumentException.class, () -> pair.receiver.handle("echo", (peer, bytes) -> bytes));
        }
    }

    @Test
    void moreCallsThanCreditsWaitTheirTurn() {
        try (DevicePair pair = new DevicePair(options())) {
            pair.receiver.handle("echo", (peer, request) -> request);
            pair.sender.handle("echo", (peer, request) -> request);
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                byte[] request = {(byte) i};
                boolean forth = i % 2 == 0;
                calls.add(CompletableFuture.supplyAsync(() -> forth
                        ? pair.sender.call(pair.receiver.endpoint(), "echo", request, DevicePair.TIMEOUT)
                        : pair.receiver.call(pair.sender.endpoint(), "echo", request, DevicePair.TIMEOUT)));
            }
            for (int i = 0; i < 40; i++) {
                assertArrayEquals(new byte[]{(byte) i}, calls.get(i).join());
            }
        }
    }

    @Test
    void severalCompletionQueuesAndQueuePairs() throws InterruptedException {
        RdmaDeviceOptions many = options().withCompletionQueues(3).withQueuePairsPerPeer(4);
        try (DevicePair pair = new DevicePair(many);
                MemoryRegion near = pair.sender.allocateRegion(4096);
                MemoryRegion far = pair.receiver.allocateRegion(4096)) {
            for (int i = 0; i < 4; i++) {
                RdmaChannel channel = pair.sender.channel(pair.receiver.endpoint(), i);
                near.memory().fill((byte) (i + 1));
                assertNull(copy(channel, near, described(far), 4096, Direction.LOCAL_TO_REMOTE));
                assertEquals(-1, near.memory().mismatch(far.memory()));
            }
            assertThrows(IllegalArgumentException.class, () -> pair.sender.channel(pair.receiver.endpoint(), 4));
        }
    }

    @Test
    void portInUseAndUnknownFabricAreSaid() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Endpoint endpoint = new Endpoint("127.0.0.1", taken.getLocalPort());
            TransferException e = assertThrows(TransferException.class,
                    () -> RdmaDevice.create(options().withLocalEndpoint(endpoint)));
            assertTrue(e.getMessage().contains(String.valueOf(taken.getLocalPort())), e.getMessage());
        }
        TransferException unknown = assertThrows(TransferException.class,
                () -> RdmaDevice.create(options().withFabric("carrier-pigeon")));
        assertTrue(unknown.getMessage().contains("carrier-pigeon") && unknown.getMessage().contains("shm"),
                unknown.getMessage());
    }

    @Test
    void connectionsOfPeersThatLeftAreGivenBack() throws IOException {
        try (RdmaDevice server = RdmaDevice.create(options().withName("server"))) {
            server.handle("echo", (peer, request) -> request);
            long descriptors = 0;
            long registered = 0;
            for (int round = 0; round < 40; round++) {
                try (RdmaDevice client = RdmaDevice.create(options().withName("client" + round))) {
                    client.call(server.endpoint(), "echo", new byte[1], DevicePair.TIMEOUT);
                    server.call(client.endpoint(), "none", new byte[1], DevicePair.TIMEOUT);
                } catch (TransferException e) {
                    assertTrue(e.getMessage().contains("no method 'none'"), e.getMessage());
                }
                if (round == 10) {
                    descriptors = openDescriptors();
                    registered = server.statistics().registeredByteSize();
                }
            }
            long before = descriptors;
            DevicePair.awaitTrue(server, () -> openDescriptors() <= before + DESCRIPTOR_SLACK);
            long registeredAfter = server.statistics().registeredByteSize();
            assertTrue(registeredAfter <= registered + REGISTERED_SLACK, registered + " -> " + registeredAfter);
        }
    }

    private static long openDescriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void closedDeviceEndsCallsAndClosesTwice() {
        DevicePair pair = new DevicePair(options());
        RdmaChannel channel = pair.channel();
        assertNotNull(channel);
        pair.closeArenas();
        pair.close();
        pair.close();
        assertThrows(TransferException.class,
                () -> pair.sender.call(pair.receiver.endpoint(), "echo", new byte[0], DevicePair.TIMEOUT));
    }
}
