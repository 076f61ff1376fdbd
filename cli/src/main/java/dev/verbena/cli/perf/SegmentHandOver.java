package dev.verbena.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.cli.FailedRunException;

/**
 * What {@code MemorySegment.copy} does with a size where another thread takes what was copied: the least that a tensor between two
 * processors costs, with nothing of Verbena's. From each source into a target of its own, in turn; the other thread compares the number at
 * both ends of a target, and gives it back by counting.
 *
 * <p>{@code taken <= copied <= taken + targets}
 *
 * <p>Threading: confined to the command's thread, beside which it starts one.
 */
final class SegmentHandOver {
    private final List<MemorySegment> sources;
    private final List<MemorySegment> targets;
    private final long byteSize;

    SegmentHandOver(List<MemorySegment> sources, List<MemorySegment> targets) {
        this.sources = sources;
        this.targets = targets;
        byteSize = sources.getFirst().byteSize();
    }

    /** @return bytes per second, until the other thread has had the last one */
    double run(long count) {
        AtomicLong copied = new AtomicLong();
        AtomicLong taken = new AtomicLong();
        AtomicLong wrong = new AtomicLong(-1);
        Thread taker = Thread.ofPlatform().daemon().name("perf taker").start(() -> take(count, copied, taken, wrong));
        long beginNs = System.nanoTime();
        for (long number = 0; number < count; number++) {
            await(taken, number + 1 - targets.size());
            copy(number);
            // Large copies use streaming stores, which a release store alone does not order (MemorySegment.copy on x86).
            VarHandle.fullFence();
            copied.setRelease(number + 1);
        }
        await(taken, count);
        long elapsedNs = System.nanoTime() - beginNs;
        join(taker);
        if (wrong.get() >= 0) {
            throw new FailedRunException("a copy of " + byteSize + " bytes arrived with another number than " + wrong);
        }
        return 1e9 * byteSize * count / elapsedNs;
    }

    private void copy(long number) {
        MemorySegment source = sources.get((int) (number % sources.size()));
        source.set(JAVA_LONG_UNALIGNED, 0, number);
        source.set(JAVA_LONG_UNALIGNED, byteSize - Long.BYTES, number);
        MemorySegment.copy(source, 0, targets.get((int) (number % targets.size())), 0, byteSize);
    }

    private void take(long count, AtomicLong copied, AtomicLong taken, AtomicLong wrong) {
        for (long number = 0; number < count; number++) {
            await(copied, number + 1);
            MemorySegment target = targets.get((int) (number % targets.size()));
            if (target.get(JAVA_LONG_UNALIGNED, 0) != number
                    || target.get(JAVA_LONG_UNALIGNED, byteSize - Long.BYTES) != number) {
                wrong.set(number);
            }
            taken.setRelease(number + 1);
        }
    }

    /** On one core who spins keeps the other from it. */
    private static void await(AtomicLong counter, long least) {
        for (int spins = 0; counter.getAcquire() < least; spins++) {
            if (spins < 1000) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FailedRunException("interrupted");
        }
    }
}
