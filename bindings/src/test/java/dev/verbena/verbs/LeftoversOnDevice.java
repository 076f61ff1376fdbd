package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.rdma_core_h;
import dev.verbena.verbs.cm.CmEventChannel;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.LibC;

/** What goes wrong while something is made or closed leaves nothing that keeps other things from being closed. */
class LeftoversOnDevice {
    private static final int RLIMIT_NOFILE = 7;
    private static final long FILES_MAX = 512;
    /** int prlimit(pid_t pid, int resource, const struct rlimit *limit, struct rlimit *before) */
    private static final MethodHandle LIMIT = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().find("prlimit").orElseThrow(),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS, ValueLayout.ADDRESS));

    private final TestDevice device = new TestDevice();

    @AfterEach
    void nothingKeepsTheContextOpen() {
        device.close();
        // One that all connections of the process share is still open then, and would not close.
        device.context.close();
        assertFalse(device.context.isOpen());
    }

    @Test
    void aRegionClosesWhileItsMemoryIsInANativeCall() {
        MemoryRegion region = device.domain.allocate(4096, TestDevice.ALL_RIGHTS);
        DuringANativeCall.run(region.memory(), region::close);
        assertFalse(region.isOpen());
    }

    @Test
    void aCompletionChannelThatGetsNoFile() throws Exception {
        withFilesLeft(0, device.context::createCompletionChannel);
        withFilesLeft(1, device.context::createCompletionChannel);
    }

    @Test
    void aConnectionManagersChannelThatGetsNoFile() throws Exception {
        CmEventChannel.create().close();
        withFilesLeft(0, CmEventChannel::create);
        withFilesLeft(1, CmEventChannel::create);
    }

    /** Tries twice: what Java loads for it the first time takes files, too. */
    private static void withFilesLeft(int count, Supplier<? extends AutoCloseable> create) throws Exception {
        create.get().close();
        assertEquals(rdma_core_h.EMFILE(), new VerbsException("loaded", "", rdma_core_h.EMFILE(), null).errno());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment before = arena.allocate(ValueLayout.JAVA_LONG, 2);
            MemorySegment limit = arena.allocate(ValueLayout.JAVA_LONG, 2);
            limit(MemorySegment.NULL, before);
            limit.setAtIndex(ValueLayout.JAVA_LONG, 0, FILES_MAX);
            limit.setAtIndex(ValueLayout.JAVA_LONG, 1, before.getAtIndex(ValueLayout.JAVA_LONG, 1));
            Deque<Integer> taken = new ArrayDeque<>();
            VerbsException refused = null;
            limit(limit, MemorySegment.NULL);
            try {
                takeAll(taken);
                for (int i = 0; i < count; i++) {
                    LibC.close(taken.pop());
                }
                refused = assertThrows(VerbsException.class, create::get);
                takeAll(taken);
            } finally {
                limit(before, MemorySegment.NULL);
                taken.forEach(LibC::close);
            }
            assertEquals(rdma_core_h.EMFILE(), refused.errno());
        }
    }

    private static void takeAll(Deque<Integer> taken) {
        while (true) {
            try {
                taken.push(LibC.eventfd());
            } catch (VerbsException noMore) {
                return;
            }
        }
    }

    private static void limit(MemorySegment limit, MemorySegment before) {
        try {
            assertEquals(0, (int) LIMIT.invokeExact(0, RLIMIT_NOFILE, limit, before));
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }
}
