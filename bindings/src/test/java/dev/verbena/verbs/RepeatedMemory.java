package dev.verbena.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.LibC;

/**
 * Many addresses over little memory: the same pages again and again. Addresses whose distance is not a multiple of
 * {@link #PERIOD} are different memory.
 *
 * <p>Threading: confined to the test's thread.
 */
final class RepeatedMemory implements AutoCloseable {
    /** No divisor of 4 GiB, so that an address cut to 32 bits is another place. */
    static final long PERIOD = 48 << 20;
    private static final int READ_AND_WRITE = 3;
    private static final int SHARED = 1;
    private static final int FIXED = 0x10;
    private static final int PRIVATE_ANONYMOUS_UNRESERVED = 0x4022;

    /** void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset) */
    private static final MethodHandle MMAP = handle("mmap",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    /** int munmap(void *addr, size_t length) */
    private static final MethodHandle MUNMAP = handle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    /** int memfd_create(const char *name, unsigned int flags) */
    private static final MethodHandle MEMFD = handle("memfd_create",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    /** int ftruncate(int fd, off_t length) */
    private static final MethodHandle FTRUNCATE = handle("ftruncate",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));

    final MemorySegment memory;

    RepeatedMemory(long byteSize) throws Throwable {
        int fd;
        try (Arena arena = Arena.ofConfined()) {
            fd = (int) MEMFD.invokeExact(arena.allocateFrom("repeated"), 0);
        }
        assertEquals(0, (int) FTRUNCATE.invokeExact(fd, PERIOD));
        long address = (long) MMAP.invokeExact(0L, byteSize, 0, PRIVATE_ANONYMOUS_UNRESERVED, -1, 0L);
        memory = MemorySegment.ofAddress(address).reinterpret(byteSize);
        for (long at = 0; at < byteSize; at += PERIOD) {
            assertEquals(address + at, (long) MMAP.invokeExact(address + at, Math.min(PERIOD, byteSize - at),
                    READ_AND_WRITE, SHARED | FIXED, fd, 0L));
        }
        LibC.close(fd);
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(Linker.nativeLinker().defaultLookup().find(name).orElseThrow(),
                descriptor);
    }

    @Override
    public void close() {
        try {
            assertEquals(0, (int) MUNMAP.invokeExact(memory.address(), memory.byteSize()));
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }
}
