package dev.verbena.verbs.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Sleeps until a descriptor can be read or another thread wakes; takes nothing from the Java heap.
 *
 * <p><b>Owner:</b> the object whose descriptor it is. <b>Threading:</b> thread-safe; of several threads that sleep a wake
 * ends one or more.
 */
public final class Waiter {
    private final int fd;
    private final int wakeFd;
    /** Written here, and what the kernel writes nobody reads: threads may share it. */
    private final MemorySegment descriptors;

    /**
     * Makes the descriptor non-blocking.
     *
     * @param wakeFd an eventfd, closed with this
     */
    public Waiter(int fd, int wakeFd) {
        this.fd = fd;
        this.wakeFd = wakeFd;
        descriptors = LibC.readable(Arena.ofAuto(), fd, wakeFd);
        LibC.setNonBlocking(fd);
    }

    /** What is waited for. */
    public int fd() {
        return fd;
    }

    /** Returns when it can be read, when time is up, after a wake, or for no reason. */
    public void await(long timeoutNs) {
        LibC.poll(descriptors, timeoutNs);
        LibC.drain(wakeFd);
    }

    /** Ends a present await, or else the next one. */
    public void wake() {
        LibC.signal(wakeFd);
    }

    public void close() {
        LibC.close(wakeFd);
    }
}
