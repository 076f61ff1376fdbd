package dev.verbena.graph.run.execution;

import java.util.concurrent.locks.LockSupport;

/**
 * Lets an executor sleep until something may have arrived.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> thread-safe.
 */
public interface Activity {
    /** Where nobody tells of activity: sleeps. */
    Activity NONE = new Activity() {
        @Override
        public long current() {
            return 0;
        }

        @Override
        public void await(long seen, long timeoutNs) {
            LockSupport.parkNanos(this, timeoutNs);
        }

        @Override
        public void wakeUp() {
            // Who sleeps is unparked.
        }
    };

    /** Changes whenever something may have arrived; to be read before polling, so that nothing is missed. */
    long current();

    /** Returns when it differs from {@code seen}, or after the timeout, or for no reason, such as that the thread is unparked. */
    void await(long seen, long timeoutNs);

    /** Ends a present {@link #await} which unparking alone may not end. */
    void wakeUp();
}
