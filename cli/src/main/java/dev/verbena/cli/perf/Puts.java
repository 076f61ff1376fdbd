package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

import dev.verbena.cli.FailedRunException;
import dev.verbena.transfer.spi.QueuePair;

/**
 * Puts messages of one size at once: all bytes but the last word, then that.
 *
 * <p>Threading: confined to the command's thread.
 */
final class Puts {
    private static final long REASON_NS = 5_000_000_000L;
    private static final long PAUSE_NS = 1_000_000;

    private final MemorySegment memory;
    private final long rkey;
    private final Trouble trouble;
    private final long bulk;

    Puts(Side side, long byteSize) {
        memory = side.buffers().region.memory();
        rkey = side.peer().rkey();
        trouble = side.trouble();
        bulk = byteSize - Long.BYTES;
    }

    void put(QueuePair queuePair, long offset, long remoteAddress, long word) {
        boolean isPut = (bulk == 0 || queuePair.tryPut(memory, offset, bulk, remoteAddress, rkey))
                && queuePair.tryPutWord(remoteAddress + bulk, rkey, word, false);
        if (!isPut) {
            throw refused(queuePair);
        }
    }

    /** That the peer's memory is gone is seen before why. */
    private FailedRunException refused(QueuePair queuePair) {
        long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < REASON_NS) {
            trouble.throwIfLost();
            LockSupport.parkNanos(PAUSE_NS);
        }
        return new FailedRunException("the peer takes no put any more, and the connection is not lost: state="
                + queuePair.state());
    }
}
