package dev.verbena.testing;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * What the process has of the C library's malloc: a leak of libraries, of drivers or of FFM's arenas shows to the byte, which among the
 * pages of the process is lost in what the garbage collector and the compiler do.
 *
 * <p>Threading: thread-safe.
 */
final class AllocatedMemory {
    private static final StructLayout MALLINFO2 = MemoryLayout.structLayout(JAVA_LONG.withName("arena"),
            JAVA_LONG.withName("ordblks"), JAVA_LONG.withName("smblks"), JAVA_LONG.withName("hblks"),
            JAVA_LONG.withName("hblkhd"), JAVA_LONG.withName("usmblks"), JAVA_LONG.withName("fsmblks"),
            JAVA_LONG.withName("uordblks"), JAVA_LONG.withName("fordblks"), JAVA_LONG.withName("keepcost"));
    /** struct mallinfo2 mallinfo2(void), of glibc 2.33 and newer */
    private static final MethodHandle HANDLE = Linker.nativeLinker().defaultLookup().find("mallinfo2")
            .map(address -> Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(MALLINFO2)))
            .orElse(null);

    private AllocatedMemory() {}

    /** Null, or why it is not known. */
    static String problem() {
        return HANDLE != null ? null : "the C library has no mallinfo2, as glibc 2.33 does";
    }

    /** Bytes that are allocated and not freed. */
    static long byteSize() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = (MemorySegment) HANDLE.invokeExact((SegmentAllocator) arena);
            return word(info, "uordblks") + word(info, "hblkhd");
        } catch (Throwable failed) {
            throw new AssertionError(failed);
        }
    }

    private static long word(MemorySegment info, String name) {
        return info.get(JAVA_LONG, MALLINFO2.byteOffset(PathElement.groupElement(name)));
    }
}
