package dev.verbena.benchmarks;

/**
 * What a random replacement replaces.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Replacement {
    /** Of one thread's pairs and pauses; not what {@link #SMALL} is, so a rate of the one says nothing of the other. */
    RANDOM("random", "64 B to 64 KiB, doublings alike") {
        @Override
        Workload workload() {
            return Workload.randomReplacement();
        }
    },
    SMALL("small", "64 B to 64 KiB, sizes alike") {
        @Override
        Workload workload() {
            return Workload.replacementOf(64, 64 * 1024);
        }
    },
    LARGE("large", "128 KiB to 2 MiB") {
        @Override
        Workload workload() {
            return Workload.replacementOf(128 * 1024, 2 * 1024 * 1024);
        }
    },
    /** By as many threads as there are processors, with as many blocks as many threads have: what is left of the difference is the threads'. */
    LARGE_OF_MANY("large-of-many", "128 KiB to 2 MiB, blocks of " + Crowd.THREADS_MANY + " threads") {
        @Override
        Workload workload() {
            int processors = Runtime.getRuntime().availableProcessors();
            return LARGE.workload().withSlots(Math.max(Crowd.THREADS_MANY / processors, 1));
        }
    };

    /** In tables and in JSON. */
    final String label;
    final String byteSizes;

    Replacement(String label, String byteSizes) {
        this.label = label;
        this.byteSizes = byteSizes;
    }

    /** Of one thread; made anew by each call. */
    abstract Workload workload();
}
