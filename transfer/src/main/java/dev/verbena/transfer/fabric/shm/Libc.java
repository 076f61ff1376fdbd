package dev.verbena.transfer.fabric.shm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The calls into the C library but those of {@link UnixSocket}, and nothing else. A failed call is a value: the negated errno, as in the kernel.
 *
 * <p>Threading: thread-safe; every call that can fail captures errno in memory of its own.
 */
final class Libc {
    static final int O_RDWR = 2;
    static final int O_NONBLOCK = 0x800;
    static final int O_CLOEXEC = 0x80000;
    /** {@code __O_TMPFILE | O_DIRECTORY}; the directory flag is the one that differs between architectures (fcntl.h). */
    static final int O_TMPFILE = 0x400000 | (isAarch64() ? 0x4000 : 0x10000);

    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EACCES = 13;
    static final int ENOMEM = 12;
    static final int EINVAL = 22;
    static final int EAGAIN = 11;
    static final int ENOSPC = 28;
    static final int EOPNOTSUPP = 95;
    static final int ETIMEDOUT = 110;
    static final int ECONNREFUSED = 111;

    /** {@code MFD_HUGETLB | MFD_HUGE_2MB}: linux/memfd.h, asm-generic/hugetlb_encode.h. */
    static final int MFD_HUGETLB_2MB = 0x4 | 21 << 26;
    private static final int MFD_CLOEXEC = 0x1;
    private static final int MFD_ALLOW_SEALING = 0x2;
    /** Implies that it can be sealed; since Linux 6.3, which may be told to want it. */
    private static final int MFD_NOEXEC_SEAL = 0x8;
    private static final int F_ADD_SEALS = 1033;
    private static final int F_GET_SEALS = 1034;
    /** Nobody changes the size any more, nor what is sealed: {@code F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL} (fcntl(2)). */
    private static final int SIZE_SEALS = 0x2 | 0x4 | 0x1;
    private static final int F_SEAL_SHRINK = 0x2;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_SHARED = 1;
    private static final int MAP_POPULATE = 0x8000;
    /** Shared between processes: without FUTEX_PRIVATE_FLAG (futex(2)). */
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;
    /** asm/unistd.h of the architecture. */
    private static final long SYS_FUTEX = isAarch64() ? 98 : 202;

    private static final Linker LINKER = Linker.nativeLinker();
    static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    static final MemoryLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final VarHandle CAPTURED_ERRNO = CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    /** int open(const char *pathname, int flags, mode_t mode) */
    private static final MethodHandle OPEN = handle("open",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
            Linker.Option.firstVariadicArg(2), ERRNO);
    /** int close(int fd) */
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT), ERRNO);
    /** int memfd_create(const char *name, unsigned int flags) */
    private static final MethodHandle MEMFD_CREATE = handle("memfd_create",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), ERRNO);
    /** int fcntl(int fd, int op, int arg) */
    private static final MethodHandle FCNTL = handle("fcntl",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2), ERRNO);
    /** int ftruncate(int fd, off_t length) */
    private static final MethodHandle FTRUNCATE = handle("ftruncate",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG), ERRNO);
    /** int posix_fallocate(int fd, off_t offset, off_t len): returns errno, does not set it */
    private static final MethodHandle POSIX_FALLOCATE = handle("posix_fallocate",
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    /** void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset) */
    private static final MethodHandle MMAP = handle("mmap",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG), ERRNO);
    /** int munmap(void *addr, size_t length) */
    private static final MethodHandle MUNMAP = handle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG),
            ERRNO);
    /** long syscall(SYS_futex, uint32_t *uaddr, int op, uint32_t val, const struct timespec *timeout) */
    private static final MethodHandle FUTEX = handle("syscall",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS),
            Linker.Option.firstVariadicArg(1), ERRNO);
    /** The same, of which nobody wants to know the errno: so there is nothing to capture it in, which is a segment at each call unless it is inlined. */
    private static final MethodHandle FUTEX_WAKING = handle("syscall",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG),
            Linker.Option.firstVariadicArg(1));
    /** char *strerror(int errnum) */
    private static final MethodHandle STRERROR = handle("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private Libc() {}

    static boolean isAarch64() {
        return System.getProperty("os.arch").equals("aarch64");
    }

    /** @return a file descriptor, or the negated errno */
    static int open(String path, int flags, int mode) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURE);
            MemorySegment name = arena.allocateFrom(path);
            int fd;
            do {
                fd = (int) OPEN.invokeExact(state, name, flags, mode);
            } while (fd < 0 && errno(state) == EINTR);
            return fd < 0 ? -errno(state) : fd;
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    static void close(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            int unused = (int) CLOSE.invokeExact(arena.allocate(CAPTURE), fd);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** A file that can be sealed. @param pages 0, or {@link #MFD_HUGETLB_2MB}. @return a file descriptor, or the negated errno */
    static int memfdCreate(String purpose, int pages) {
        int fd = memfd(purpose, pages | MFD_CLOEXEC | MFD_NOEXEC_SEAL);
        return fd == -EINVAL ? memfd(purpose, pages | MFD_CLOEXEC | MFD_ALLOW_SEALING) : fd;
    }

    private static int memfd(String purpose, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURE);
            int fd = (int) MEMFD_CREATE.invokeExact(state, arena.allocateFrom(purpose), flags);
            return fd < 0 ? -errno(state) : fd;
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** Nobody changes its size any more. @return 0, or the negated errno */
    static int sealSize(int fd) {
        return Math.min(fcntl(fd, F_ADD_SEALS, SIZE_SEALS), 0);
    }

    /** Whether nobody can shorten it, now or later. */
    static boolean cannotShrink(int fd) {
        int seals = fcntl(fd, F_GET_SEALS, 0);
        return seals > 0 && (seals & F_SEAL_SHRINK) != 0;
    }

    private static int fcntl(int fd, int operation, int argument) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURE);
            int result = (int) FCNTL.invokeExact(state, fd, operation, argument);
            return result < 0 ? -errno(state) : result;
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** @return 0, or the negated errno */
    static int ftruncate(int fd, long byteSize) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURE);
            int result = (int) FTRUNCATE.invokeExact(state, fd, byteSize);
            return result < 0 ? -errno(state) : 0;
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** @return 0, or the negated errno */
    static int posixFallocate(int fd, long byteSize) {
        try {
            int error;
            do {
                error = (int) POSIX_FALLOCATE.invokeExact(fd, 0L, byteSize);
            } while (error == EINTR);
            return -error;
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** Maps shared, for reading and perhaps writing. @return the address, or the negated errno */
    static long mmap(int fd, long byteSize, boolean populate, boolean isWritable) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CAPTURE);
            long address = (long) MMAP.invokeExact(state, 0L, byteSize, PROT_READ | (isWritable ? PROT_WRITE : 0),
                    MAP_SHARED | (populate ? MAP_POPULATE : 0), fd, 0L);
            return address == -1 ? -errno(state) : address;
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    static void munmap(long address, long byteSize) {
        try (Arena arena = Arena.ofConfined()) {
            int unused = (int) MUNMAP.invokeExact(arena.allocate(CAPTURE), address, byteSize);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** What the futex calls need beside their arguments, so that they allocate nothing: one per sleeper. */
    static final class FutexScratch {
        /** struct timespec { time_t tv_sec; long tv_nsec; } */
        private final MemorySegment timespec = Arena.ofAuto().allocate(16, 8);
        private final MemorySegment state = Arena.ofAuto().allocate(CAPTURE);
    }

    /** Sleeps while the word at the address is {@code expected}, at most the time. @return 0, or the negated errno */
    static int futexWait(long wordAddress, int expected, long timeoutNs, FutexScratch scratch) {
        scratch.timespec.set(JAVA_LONG, 0, timeoutNs / 1_000_000_000);
        scratch.timespec.set(JAVA_LONG, 8, timeoutNs % 1_000_000_000);
        try {
            long result = (long) FUTEX.invokeExact(scratch.state, SYS_FUTEX, wordAddress, FUTEX_WAIT, expected,
                    scratch.timespec);
            return result < 0 ? -errno(scratch.state) : 0;
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** Wakes one who sleeps at the word. */
    static void futexWake(long wordAddress) {
        try {
            long unused = (long) FUTEX_WAKING.invokeExact(SYS_FUTEX, wordAddress, FUTEX_WAKE, 1, 0L);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** The errno of a result in words, as {@code No such file or directory (errno=2)}. */
    static String describe(int negatedErrno) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(-negatedErrno);
            return text.reinterpret(256).getString(0) + " (errno=" + -negatedErrno + ")";
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** Of the call that failed last with this capture. */
    static int errno(MemorySegment state) {
        return (int) CAPTURED_ERRNO.get(state, 0L);
    }

    static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), descriptor, options);
    }

    /** Lets FFM's own use-after-close checks through. */
    static RuntimeException unexpected(Throwable t) {
        if (t instanceof RuntimeException e) {
            return e;
        }
        if (t instanceof Error e) {
            throw e;
        }
        return new IllegalStateException(t);
    }
}
