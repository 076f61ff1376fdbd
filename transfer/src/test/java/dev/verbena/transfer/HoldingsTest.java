package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.channels.ServerSocketChannel;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;

/** Each kind of thing that a process may keep is seen while it is there. */
class HoldingsTest {
    @Test
    void aThreadIsSeen() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Holdings before = Holdings.now();
        Thread thread = Thread.ofPlatform().name("another one").start(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                return;
            }
        });
        assertTrue(Holdings.now().without(before).threads().contains("another one"));
        end.countDown();
        thread.join();
        before.assertNothingMore("it has ended");
    }

    @Test
    void aSocketAndARegionAreSeen() throws Exception {
        NetworkOptions network = NetworkOptions.defaults();
        try (Fabric fabric = Fabrics.select("shm", network).open(network)) {
            ServerSocketChannel.open().close(); // With the first that is closed the JDK opens one that stays.
            Holdings before = Holdings.now();
            try (ServerSocketChannel socket = ServerSocketChannel.open();
                    MemoryRegion region = fabric.register(4096, Set.of(AccessRight.LOCAL_WRITE))) {
                assertTrue(socket.isOpen() && region.byteSize() == 4096);
                Holdings more = Holdings.now().without(before);
                assertFalse(more.descriptors().isEmpty());
                assertFalse(more.sharedMemory().isEmpty());
            }
            before.assertNothingMore("they are closed");
        }
    }
}
