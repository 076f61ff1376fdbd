package dev.verbena.memory.heap;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The most bytes of an arena that ever were handed out at a time. The heaps of threads keep what each had at most since it last
 * looked here; who looks adds these up.
 *
 * <p>Never too little: whatever was live at a moment, every heap's most is at least its part of that until the heap looks, and who looks
 * first adds up all. Too much by what heaps have freed since their most, which is less than {@link SlotHeap#PEAK_DRIFT_MAX} each, and with {@link Rooms} some
 * blocks more, or a part of what is live in them; exact where one thread allocates.
 *
 * <p><b>Owner:</b> {@link CentralHeap}. <b>Threading:</b> thread-safe.
 */
final class LivePeak {
    private final AtomicLong byteSize = new AtomicLong();
    private final CentralHeap central;

    LivePeak(CentralHeap central) {
        this.central = central;
    }

    /** To be called before what is live becomes less. */
    void look() {
        long sum = central.largeByteSize();
        for (SlotHeap heap : central.heaps()) {
            sum += heap.livePeakByteSizeOpaque();
        }
        if (sum > byteSize.get()) {
            byteSize.accumulateAndGet(sum, Math::max);
        }
    }

    long byteSize() {
        return byteSize.get();
    }
}
