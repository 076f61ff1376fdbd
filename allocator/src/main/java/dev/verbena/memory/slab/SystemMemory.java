package dev.verbena.memory.slab;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.stream.Stream;

import dev.verbena.memory.OutOfArenaMemoryException;

/**
 * Anonymous pages from the kernel, what can be asked of pages, and views of memory that end earlier than it: what of that is restricted,
 * and nothing else. {@link Arena#allocate} would not do: it writes zeros, and so commits every page at once, and counts against
 * {@code -XX:MaxDirectMemorySize}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class SystemMemory {
    public static final int EPERM = 1;
    public static final int EIO = 5;
    public static final int EINVAL = 22;

    private static final int EINTR = 4;
    private static final int PROT_READ_WRITE = 0x1 | 0x2;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;
    /** {@code MAP_HUGETLB | MAP_HUGE_2MB}: linux/mman.h, asm-generic/hugetlb_encode.h. */
    private static final int MAP_HUGETLB_2MB = 0x40000 | 21 << 26;
    private static final int NO_FILE = -1;
    /** {@code MAP_FAILED} too. */
    private static final long FAILED = -1;
    /** asm-generic/mman-common.h. */
    private static final int MADV_HUGEPAGE = 14;
    private static final int MADV_POPULATE_WRITE = 23;
    /** linux/mempolicy.h: from that node and no other; the pages that are there are moved, and those that cannot be are an error. */
    private static final long MPOL_BIND = 2;
    private static final long MPOL_MF_STRICT_MOVE = 0x1 | 0x2;
    /** The kernel's CONFIG_NODES_SHIFT is at most 10. */
    private static final int NODES_MAX = 1 << 10;
    /** asm/unistd.h of the architecture. */
    private static final long SYS_MBIND = System.getProperty("os.arch").equals("aarch64") ? 235 : 237;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** {@code void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);} mmap(2) */
    private static final MethodHandle MMAP = handle("mmap",
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));

    /** {@code int munmap(void *addr, size_t length);} munmap(2) */
    private static final MethodHandle MUNMAP = handle("munmap",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    /** {@code int madvise(void *addr, size_t length, int advice);} madvise(2) */
    private static final MethodHandle MADVISE = handle("madvise", FunctionDescriptor.of(ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

    /**
     * {@code long syscall(SYS_mbind, void *addr, unsigned long len, int mode, const unsigned long *nodemask, unsigned long maxnode,
     * unsigned flags);} mbind(2), which has no wrapper in the C library
     */
    private static final MethodHandle MBIND = handle("syscall",
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG),
            Linker.Option.firstVariadicArg(1));

    private SystemMemory() {}

    /**
     * Zeroed pages that are committed as they are touched. They go back when {@code arena} is closed; later accesses through the segment
     * throw.
     *
     * @throws OutOfArenaMemoryException if the system refuses
     */
    public static MemorySegment map(long byteSize, Arena arena) {
        return segment(map(byteSize, 0), byteSize, arena);
    }

    /** As {@link #map} but of reserved huge pages; a multiple of their size. */
    public static MemorySegment mapReserved(long byteSize, Arena arena) {
        return segment(map(byteSize, MAP_HUGETLB_2MB), byteSize, arena);
    }

    /** As {@link #map} but beginning at a multiple of {@code alignment}, a power of two. */
    public static MemorySegment mapAligned(long byteSize, long alignment, Arena arena) {
        long wideByteSize = Math.addExact(byteSize, alignment);
        long wide = map(wideByteSize, 0);
        long address = wide + alignment - 1 & -alignment;
        if (address > wide) {
            unmap(wide, address - wide);
        }
        if (wide + wideByteSize > address + byteSize) {
            unmap(address + byteSize, wide + wideByteSize - address - byteSize);
        }
        return segment(address, byteSize, arena);
    }

    private static long map(long byteSize, int moreFlags) {
        long result = call((state, _) -> (long) MMAP.invokeExact(state, 0L, byteSize, PROT_READ_WRITE,
                MAP_PRIVATE_ANONYMOUS | moreFlags, NO_FILE, 0L));
        if (result < 0) {
            throw new OutOfArenaMemoryException(
                    "the system refused memory: mmap " + (moreFlags == 0 ? "" : "MAP_HUGETLB ") + "byteSize=" + byteSize
                            + " errno=" + -result + (moreFlags == 0
                                    ? "; ask for less, or see ulimit -v, /proc/meminfo and vm.overcommit_memory" : ""));
        }
        return result;
    }

    private static MemorySegment segment(long address, long byteSize, Arena arena) {
        return MemorySegment.ofAddress(address).reinterpret(byteSize, arena, segment -> unmap(address, byteSize));
    }

    /** Asks for transparent huge pages. @return 0 or errno */
    public static int adviseHuge(MemorySegment memory) {
        return advise(memory, MADV_HUGEPAGE);
    }

    /**
     * Commits the pages that the memory lies on, as if they were written to, but without changing them.
     *
     * @return 0 or errno; {@link #EINVAL} if the kernel cannot (Linux 5.14), or the memory does not begin on a page
     */
    public static int populate(MemorySegment memory) {
        int errno;
        do {
            errno = advise(memory, MADV_POPULATE_WRITE);
        } while (errno == EINTR);
        return errno;
    }

    /** Whether the kernel can; madvise(2) has this way to ask. */
    public static boolean canPopulate() {
        return advise(MemorySegment.NULL, MADV_POPULATE_WRITE) == 0;
    }

    private static int advise(MemorySegment memory, int advice) {
        return (int) -call((state, _) -> (int) MADVISE.invokeExact(state, memory, memory.byteSize(), advice));
    }

    /** Moves the memory's pages to the node, and takes further ones from there. @return 0 or errno */
    public static int bind(MemorySegment memory, int node) {
        return (int) -call((state, memoryOfCall) -> {
            MemorySegment nodes = memoryOfCall.allocate(NODES_MAX / Byte.SIZE, Long.BYTES);
            nodes.setAtIndex(ValueLayout.JAVA_LONG, node / Long.SIZE, 1L << node);
            // The kernel takes one bit less than it is told (get_nodes in mm/mempolicy.c).
            return (long) MBIND.invokeExact(state, SYS_MBIND, memory, memory.byteSize(), MPOL_BIND, nodes,
                    NODES_MAX + 1L, MPOL_MF_STRICT_MOVE);
        });
    }

    /** The same bytes, until {@code lifetime} is closed; whoever holds the memory sees to it that they are there so long. */
    public static MemorySegment view(MemorySegment memory, Arena lifetime) {
        return memory.reinterpret(lifetime, null);
    }

    private static void unmap(long address, long byteSize) {
        long result = call((state, _) -> (int) MUNMAP.invokeExact(state, address, byteSize));
        if (result < 0) {
            throw new IllegalStateException(
                    "munmap failed: address=" + address + " byteSize=" + byteSize + " errno=" + -result);
        }
    }

    /** A call of the system, which is -1 if it failed. */
    private interface Call {
        long by(MemorySegment state, SegmentAllocator memoryOfCall) throws Throwable;
    }

    /** What it returned; -errno if it failed. */
    private static long call(Call call) {
        try (Arena memoryOfCall = Arena.ofConfined()) {
            MemorySegment state = memoryOfCall.allocate(CALL_STATE);
            long result = call.by(state, memoryOfCall);
            return result == FAILED ? -(int) ERRNO.get(state, 0L) : result;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        MemorySegment function = LINKER.defaultLookup().find(name)
                .orElseThrow(
                        () -> new UnsupportedOperationException("no " + name + " in the C library of this system"));
        return LINKER.downcallHandle(function, descriptor,
                Stream.concat(Stream.of(options), Stream.of(Linker.Option.captureCallState("errno")))
                        .toArray(Linker.Option[]::new));
    }

    /** What FFM itself throws goes through as it is. */
    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
    }
}
