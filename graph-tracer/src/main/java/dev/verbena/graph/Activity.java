package dev.verbena.graph;

import java.util.concurrent.locks.LockSupport;

/** Lets an executor sleep while it has nothing but pollers. Thread-safe. */
interface Activity {
    /** Where nobody tells of activity: sleep for a short while. */
    Activity NONE = new Activity() {
        private static final long PARK_NS_MAX = 100_000;

        @Override
        public long current() {
            return 0;
        }

        @Override
        public void await(long seen, long timeoutNs) {
            LockSupport.parkNanos(this, Math.min(timeoutNs, PARK_NS_MAX));
        }
    };

    /** Changes whenever something may have arrived; to be read before polling, so that nothing is missed. */
    long current();

    /** Returns when it differs from {@code seen}, or after the timeout, or for no reason. */
    void await(long seen, long timeoutNs);
}
