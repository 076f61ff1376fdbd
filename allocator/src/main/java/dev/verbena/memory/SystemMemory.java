package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Anonymous pages from the kernel by {@code mmap(2)}, and views of memory that end earlier than it: what of that is restricted, and nothing
 * else. {@link Arena#allocate} would not do: it writes zeros, and so commits every page at once, and counts against
 * {@code -XX:MaxDirectMemorySize}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
final class SystemMemory {
    private static final int PROT_READ_WRITE = 0x1 | 0x2;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;
    private static final int NO_FILE = -1;
    private static final long MAP_FAILED = -1;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** {@code void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);} */
    private static final MethodHandle MMAP = handle("mmap",
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));

    /** {@code int munmap(void *addr, size_t length);} */
    private static final MethodHandle MUNMAP = handle("munmap",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private SystemMemory() {}

    /**
     * Zeroed pages that are committed as they are touched. They go back when {@code arena} is closed; later accesses through the segment
     * throw.
     *
     * @throws OutOfArenaMemoryException if the system refuses
     */
    static MemorySegment map(long byteSize, Arena arena) {
        long address;
        int errno;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = call.allocate(CALL_STATE);
            address = (long) MMAP.invokeExact(state, 0L, byteSize, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, NO_FILE, 0L);
            errno = (int) ERRNO.get(state, 0L);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        if (address == MAP_FAILED) {
            throw new OutOfArenaMemoryException(
                    "the system refused memory: mmap byteSize=" + byteSize + " errno=" + errno
                            + "; ask for less, or see ulimit -v, /proc/meminfo and vm.overcommit_memory");
        }
        return MemorySegment.ofAddress(address).reinterpret(byteSize, arena, segment -> unmap(address, byteSize));
    }

    /** The same bytes, until {@code lifetime} is closed; whoever holds the memory sees to it that they are there so long. */
    static MemorySegment view(MemorySegment memory, Arena lifetime) {
        return memory.reinterpret(lifetime, null);
    }

    private static void unmap(long address, long byteSize) {
        int result;
        int errno;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = call.allocate(CALL_STATE);
            result = (int) MUNMAP.invokeExact(state, address, byteSize);
            errno = (int) ERRNO.get(state, 0L);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        if (result != 0) {
            throw new IllegalStateException(
                    "munmap failed: address=" + address + " byteSize=" + byteSize + " errno=" + errno);
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        MemorySegment function = LINKER.defaultLookup().find(name)
                .orElseThrow(
                        () -> new UnsupportedOperationException("no " + name + " in the C library of this system"));
        return LINKER.downcallHandle(function, descriptor, Linker.Option.captureCallState("errno"));
    }

    /** What FFM itself throws goes through as it is. */
    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
    }
}
