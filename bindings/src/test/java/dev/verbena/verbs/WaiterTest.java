package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.ibv_comp_channel;
import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.ffi.LibC;
import dev.verbena.verbs.ffi.Waiter;
import dev.verbena.verbs.ffi.Availability;

/** What waits for events sleeps without a trace, and leaves no file open. Descriptors without events stand in for a device's. */
class WaiterTest {
    private static final long HANG_NS = 30_000_000_000L;

    private final Arena arena = Arena.ofAuto();
    private int fd = -1;
    private MemorySegment context;

    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(Availability.problem() == null, Availability::problem);
        fd = LibC.eventfd();
        context = StandInDevice.context(TransportType.INFINIBAND, arena);
        ibv_context.async_fd(context, fd);
    }

    @AfterEach
    void close() {
        if (fd >= 0) {
            LibC.close(fd);
        }
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    @Test
    void aBorrowedContextClosesWhatItOpened() throws IOException {
        long before = openFiles();
        DeviceContext borrowed = DeviceContext.borrow(context, () -> {});
        assertEquals(fd, borrowed.eventFileDescriptor());
        assertEquals(before + 1, openFiles(), "the eventfd that wakes");
        borrowed.close();
        assertEquals(before, openFiles());
    }

    @Test
    void sleepingTakesNothingFromTheJavaHeap() {
        DeviceContext device = new DeviceContext("stand-in", context, new Provider(""));
        MemorySegment struct = ibv_comp_channel.allocate(arena);
        ibv_comp_channel.context(struct, context);
        ibv_comp_channel.fd(struct, fd);
        Waiter waiter = new Waiter(fd, LibC.eventfd());
        CompletionChannel channel = new CompletionChannel(device, struct, waiter);
        assertEquals(fd, channel.fileDescriptor());
        assertNull(channel.await(0));
        assertEquals(0, DataPathAllocationTest.allocatedBytes(() -> {
            waiter.wake();
            return channel.await(HANG_NS) == null ? 1 : 0;
        }));
        waiter.close();
    }
}
