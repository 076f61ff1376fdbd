package dev.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CancellationException;

import dev.verbena.memory.slab.PageCommit;

/**
 * Commits the pages of a region before they are used: by several threads, because the kernel zeroes them one by one. Contents stay as
 * they are, and may be used meanwhile.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Prefault {
    private Prefault() {}

    /**
     * Commits all pages of the memory, with so many threads, the caller among them. When it throws, no thread is at work any more; what is
     * committed stays so.
     *
     * @throws IllegalArgumentException if the memory is not native or read-only, its address or size is not a multiple of 4, or threads is
     *     not 1 to 1024
     * @throws OutOfArenaMemoryException if the system has not so much, as far as it says so
     * @throws InterruptedException if the caller is interrupted
     */
    public static void commit(MemorySegment memory, int threads, PrefaultListener listener)
            throws InterruptedException {
        PageCommit.commit(memory, threads, listener);
    }

    /**
     * As the options say, with one thread at least. For sources of slabs.
     *
     * @throws OutOfArenaMemoryException as above
     * @throws CancellationException if the caller is interrupted, and stays so
     */
    public static void commit(MemorySegment memory, SlabOptions options) {
        PageCommit.commit(memory, options);
    }

    /**
     * Whether the kernel does it, and so finds out where memory is missing (Linux 5.14). Where pages of a file or reserved pages are
     * missing, touching would end the process.
     */
    public static boolean isDoneByKernel() {
        return PageCommit.isDoneByKernel();
    }
}
