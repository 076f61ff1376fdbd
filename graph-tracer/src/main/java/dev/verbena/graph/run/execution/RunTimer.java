package dev.verbena.graph.run.execution;

import java.util.function.LongSupplier;

/**
 * What of a run was waiting, and what copying. It looks at the clock where a wait ends and around what a transfer does, not around kernels.
 *
 * <p><b>Owner:</b> the executor. <b>Threading:</b> confined to the session's thread.
 */
final class RunTimer {
    private final LongSupplier clockNs;
    private boolean isWaiting;
    private long waitSinceNs;
    private long waitNs;
    private long copyNs;

    RunTimer(LongSupplier clockNs) {
        this.clockNs = clockNs;
    }

    void reset() {
        isWaiting = false;
        waitNs = 0;
        copyNs = 0;
    }

    long nowNs() {
        return clockNs.getAsLong();
    }

    /** Nothing could go on when the clock said that; no matter if it has waited before. */
    void waitSince(long nowNs) {
        if (!isWaiting) {
            isWaiting = true;
            waitSinceNs = nowNs;
        }
    }

    /** Something goes on, if anything had to wait. */
    void endWait() {
        if (isWaiting) {
            endWait(clockNs.getAsLong());
        }
    }

    /** The same, at a time that has been looked at. */
    void endWait(long nowNs) {
        if (isWaiting) {
            isWaiting = false;
            waitNs += nowNs - waitSinceNs;
        }
    }

    /** A transfer has been under way on this thread since then. */
    void copiedSince(long beganNs) {
        copyNs += clockNs.getAsLong() - beganNs;
    }

    long waitNs() {
        return waitNs;
    }

    long copyNs() {
        return copyNs;
    }
}
