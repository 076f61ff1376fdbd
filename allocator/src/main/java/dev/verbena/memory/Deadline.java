package dev.verbena.memory;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for what nobody announces: whoever unpins last, or frees, does not pay for a waiter that may not exist. Pauses double, so that a wait takes
 * about twice as long as necessary at most, or a hundredth of a second more, and a core has better things to do.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> blocks its caller, who may be interrupted.
 */
final class Deadline {
    private static final long PAUSE_NS_MIN = 10_000;
    private static final long PAUSE_NS_MAX = 10_000_000;

    private Deadline() {}

    /** Asks at least once. Returns false if the condition did not hold in time. */
    static boolean await(Duration deadline, BooleanSupplier condition) throws InterruptedException {
        return awaitValue(deadline, () -> condition.getAsBoolean() ? condition : null) != null;
    }

    /**
     * Asks for memory at least once.
     *
     * @param tried null while there is none
     * @param last asked at the deadline
     * @throws OutOfArenaMemoryException as {@code last} does, with how long that was waited for
     */
    static Tensor awaitMemory(Duration deadline, Supplier<Tensor> tried, Supplier<Tensor> last)
            throws InterruptedException {
        long startNs = System.nanoTime();
        Tensor tensor = awaitValue(deadline, tried);
        if (tensor != null) {
            return tensor;
        }
        try {
            return last.get();
        } catch (OutOfArenaMemoryException e) {
            throw new OutOfArenaMemoryException(e.getMessage() + "; waited for it for "
                    + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) + " ms", e.getCause());
        }
    }

    /** Null if there was none in time. */
    private static <T> T awaitValue(Duration deadline, Supplier<T> value) throws InterruptedException {
        long limitNs = TimeUnit.NANOSECONDS.convert(deadline);
        long startNs = System.nanoTime();
        long pauseNs = PAUSE_NS_MIN;
        T found = value.get();
        while (found == null) {
            long leftNs = limitNs - (System.nanoTime() - startNs);
            if (leftNs <= 0) {
                return null;
            }
            TimeUnit.NANOSECONDS.sleep(Math.min(pauseNs, leftNs));
            pauseNs = Math.min(2 * pauseNs, PAUSE_NS_MAX);
            found = value.get();
        }
        return found;
    }
}
