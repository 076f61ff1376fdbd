package dev.verbena.cli.perf;

/**
 * The last byte of what the peer writes here, which counts; who waits for the next message looks at it.
 *
 * <p>Threading: confined to the command's thread.
 */
final class ArrivalCounter {
    /**
     * How often a byte is looked at before others may have the processor, which the peer or the fabric may need: as often as who waits for a
     * tensor spins alone, so that on one processor both measure the write and not the waiting.
     */
    static final int SPINS_ALONE = 50;
    /** How often others may have it before somebody asks whether the peer still lives. */
    private static final int YIELDS_PER_LOOK = 256;

    private final Buffers buffers;
    private final Trouble trouble;
    private final long offset;
    private byte arrived;

    /** Of the first queue pair. The peer does not write before it has heard that this side is here. */
    ArrivalCounter(Side side, long byteSize) {
        buffers = side.buffers();
        trouble = side.trouble();
        offset = buffers.receiveOffset(0) + byteSize - 1;
        buffers.byteRelease(offset, arrived);
    }

    void awaitNext() {
        byte next = ++arrived;
        for (int yields = 0; !arrives(next); yields++) {
            if (yields % YIELDS_PER_LOOK == YIELDS_PER_LOOK - 1) {
                trouble.throwIfLost();
            }
            Thread.yield();
        }
    }

    private boolean arrives(byte next) {
        for (int i = 0; i < SPINS_ALONE; i++) {
            if (buffers.byteAcquire(offset) == next) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }
}
