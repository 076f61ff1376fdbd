package dev.verbena.verbs.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;

/**
 * What waiting for a verbs event takes of the C library: verbs block in read(2), which nobody can end, so their
 * descriptors are made non-blocking and waited for together with an eventfd(2) of ours.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class LibC {
    /** struct pollfd: int fd, short events, short revents. */
    private static final MemoryLayout POLLFD = MemoryLayout.structLayout(JAVA_INT, JAVA_SHORT, JAVA_SHORT);
    private static final long EVENTS_OFFSET = 4;
    private static final short POLLIN = 1;
    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int O_NONBLOCK = 0x800;
    private static final int EFD_CLOEXEC = 0x80000;

    /** int poll(struct pollfd *fds, nfds_t nfds, int timeout) */
    private static final MethodHandle POLL = plain("poll",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    /** int fcntl(int fd, int cmd, ...), with an int */
    private static final MethodHandle FCNTL = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().find("fcntl").orElseThrow(),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(2));
    /** int eventfd(unsigned int initval, int flags) */
    private static final MethodHandle EVENTFD = bind("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    /** ssize_t read(int fd, void *buf, size_t count) */
    private static final MethodHandle READ = plain("read",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    /** ssize_t write(int fd, const void *buf, size_t count) */
    private static final MethodHandle WRITE = plain("write",
            FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    /** int close(int fd) */
    private static final MethodHandle CLOSE = plain("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    /** int dladdr(const void *addr, Dl_info *info): not 0 if found; the file's name is what info begins with */
    private static final MethodHandle DLADDR = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().find("dladdr").orElseThrow(),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
    private static final long DL_INFO_BYTE_SIZE = 32;

    /** What a signal adds to an eventfd's counter. */
    private static final MemorySegment ONE = Arena.global().allocateFrom(JAVA_LONG, 1);
    /** What was read of an eventfd, which nobody needs. */
    private static final MemorySegment DRAINED = Arena.global().allocate(JAVA_LONG);

    private LibC() {}

    private static MethodHandle bind(String name, FunctionDescriptor descriptor) {
        return NativeCall.withErrno(Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), descriptor);
    }

    private static MethodHandle plain(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker()
                .downcallHandle(Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), descriptor);
    }

    public static void setNonBlocking(int fd) {
        int flags = NativeCall.status("fcntl", () -> "fd=" + fd,
                capture -> (int) FCNTL.invokeExact(capture, fd, F_GETFL, 0));
        NativeCall.status("fcntl", () -> "fd=" + fd,
                capture -> (int) FCNTL.invokeExact(capture, fd, F_SETFL, flags | O_NONBLOCK));
    }

    /** A second descriptor of the same open file. */
    public static int duplicate(int fd) {
        return NativeCall.status("fcntl", () -> "fd=" + fd,
                capture -> (int) FCNTL.invokeExact(capture, fd, F_DUPFD_CLOEXEC, 0));
    }

    public static int eventfd() {
        return NativeCall.status("eventfd", () -> "count=0",
                capture -> (int) EVENTFD.invokeExact(capture, 0, EFD_CLOEXEC | O_NONBLOCK));
    }

    // What follows cannot fail but for reasons that do not matter: a signal, a counter that is full or empty.

    /** Makes the eventfd readable. */
    public static void signal(int eventfd) {
        try {
            long written = (long) WRITE.invokeExact(eventfd, ONE, (long) Long.BYTES);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** Makes the eventfd unreadable until the next signal. */
    public static void drain(int eventfd) {
        try {
            long read = (long) READ.invokeExact(eventfd, DRAINED, (long) Long.BYTES);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** What {@link #poll} takes to wait until one of the two can be read. */
    public static MemorySegment readable(Arena arena, int fd, int eventfd) {
        MemorySegment fds = arena.allocate(POLLFD, 2);
        fds.set(JAVA_INT, 0, fd);
        fds.set(JAVA_SHORT, EVENTS_OFFSET, POLLIN);
        fds.set(JAVA_INT, POLLFD.byteSize(), eventfd);
        fds.set(JAVA_SHORT, POLLFD.byteSize() + EVENTS_OFFSET, POLLIN);
        return fds;
    }

    /**
     * Waits until one of the descriptors can be read, or time is up, or for no reason (a signal).
     *
     * @return how many can be read, or negative
     */
    public static int poll(MemorySegment descriptors, long timeoutNs) {
        long timeoutMs = TimeUnit.NANOSECONDS.toMillis(timeoutNs + TimeUnit.MILLISECONDS.toNanos(1) - 1);
        try {
            return (int) POLL.invokeExact(descriptors, 2L, Math.clamp(timeoutMs, 0, Integer.MAX_VALUE));
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    public static void close(int fd) {
        try {
            int status = (int) CLOSE.invokeExact(fd);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** The file that the function was loaded from; null if it is not known. */
    public static String fileOf(MemorySegment function) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(DL_INFO_BYTE_SIZE, Long.BYTES);
            boolean isFound = (int) DLADDR.invokeExact(function, info) != 0;
            MemorySegment name = info.get(ADDRESS, 0);
            return isFound && name.address() != 0 ? name.reinterpret(Long.MAX_VALUE).getString(0) : null;
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }
}
