package dev.verbena.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Two fabrics, connected; one thread drives both, so that a test is a sequence of steps.
 *
 * <p>Threading: confined to the test's thread unless the test says otherwise.
 */
final class FabricPair implements AutoCloseable {
    /**
     * How the pair is made.
     *
     * @param depth of send and receive queues
     */
    record Options(int queuePairs, int depth, long receiverNotReadyTimeoutNs, int inlineByteSizeMax) {
        static final Options DEFAULT = new Options(1, 8, TimeUnit.SECONDS.toNanos(60), 128);

        Options withQueuePairs(int queuePairs) {
            return new Options(queuePairs, depth, receiverNotReadyTimeoutNs, inlineByteSizeMax);
        }

        Options withDepth(int depth) {
            return new Options(queuePairs, depth, receiverNotReadyTimeoutNs, inlineByteSizeMax);
        }

        Options withReceiverNotReadyTimeoutNs(long timeoutNs) {
            return new Options(queuePairs, depth, timeoutNs, inlineByteSizeMax);
        }

        Options withInlineByteSizeMax(int byteSizeMax) {
            return new Options(queuePairs, depth, receiverNotReadyTimeoutNs, byteSizeMax);
        }
    }

    /** Nothing in these tests takes long; who waits longer hangs. */
    private static final long HANG_NS = TimeUnit.SECONDS.toNanos(20);

    final FabricSide initiator;
    final FabricSide target;

    FabricPair(Fabric first, Fabric second, Options options) {
        initiator = new FabricSide(first, "initiator", options);
        target = new FabricSide(second, "target", options);
        initiator.connection = initiator.fabric.connect(target.endpoint,
                initiator.queuePairOptions(options.queuePairs()), HANG_NS);
        await("the target accepts", () -> !target.accepted.isEmpty());
        target.connection = target.accepted.getFirst();
    }

    void poll() {
        initiator.poll(64);
        target.poll(64);
    }

    /** Drives both sides until it holds. */
    void await(String what, BooleanSupplier condition) {
        await(what, condition, this::poll);
    }

    static void await(String what, BooleanSupplier condition, Runnable drive) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < HANG_NS, "hangs while waiting until " + what);
            drive.run();
            Thread.yield();
        }
    }

    /** Drives both sides until the side has a completion, and takes it. */
    Done next(FabricSide side) {
        await("the " + side.name + " has a completion", () -> !side.completions.isEmpty());
        return side.completions.remove();
    }

    Done next(FabricSide side, long id, CompletionStatus status) {
        Done done = next(side);
        assertEquals(id, done.id(), done.toString());
        assertEquals(status, done.status(), done.toString());
        if (status != CompletionStatus.SUCCESS) {
            assertTrue(done.cause() != null && !done.cause().isBlank(), done.toString());
        }
        return done;
    }

    /** Posts the list from the initiator and takes the completion of the one request in it that is signaled. */
    Done run(WorkRequest head, CompletionStatus status) {
        int count = 0;
        for (WorkRequest request = head; request != null; request = request.next) {
            count++;
        }
        assertEquals(count, initiator.queuePair().post(head));
        return next(initiator, head.workRequestId, status);
    }

    /** Drives both sides for a while that is long enough for anything that was wrongly under way to show. */
    void settle() {
        for (int i = 0; i < 200; i++) {
            poll();
        }
    }

    void assertNothingMore() {
        settle();
        assertTrue(initiator.completions.isEmpty(), initiator.completions.toString());
        assertTrue(target.completions.isEmpty(), target.completions.toString());
    }

    static void assertFilled(FabricSide side, long offset, long byteSize, int seed) {
        for (long i = 0; i < byteSize; i++) {
            assertEquals(FabricSide.pattern(seed, i), side.region.memory().get(ValueLayout.JAVA_BYTE, offset + i),
                    "byte " + i);
        }
    }

    static void assertZero(FabricSide side, long offset, long byteSize) {
        for (long i = 0; i < byteSize; i++) {
            assertEquals(0, side.region.memory().get(ValueLayout.JAVA_BYTE, offset + i), "byte " + i);
        }
    }

    @Override
    public void close() {
        initiator.fabric.close();
        target.fabric.close();
    }
}
