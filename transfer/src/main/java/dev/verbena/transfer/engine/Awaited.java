package dev.verbena.transfer.engine;

import java.util.function.BooleanSupplier;

/**
 * What may come to hold although nobody tells of it, such as by memory that another thread frees: who waits for it looks again and again then.
 *
 * <p><b>Owner:</b> who waits. <b>Threading:</b> that one's thread alone.
 */
public interface Awaited extends BooleanSupplier {
    /** Whether that may happen, now that it was looked at and did not hold. */
    boolean mayHoldUntold();
}
