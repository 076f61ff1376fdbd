package dev.verbena.testing.scaling;

/**
 * What a step's transfers take at least, where networks are the bottleneck: a bound, not a measurement.
 *
 * @param byteSize of all parameters, and so of all gradients of a worker
 * @param bytesPerSecond of a host's network, in each direction
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record StepTime(long byteSize, double bytesPerSecond) {
    private static final double MS = 1e3;

    /** Gradients come in, then parameters go out; each server has its share of both. */
    double serverMs(long workers, long servers) {
        return 2.0 * workers * byteSize / servers / bytesPerSecond * MS;
    }

    /** Each member sends nearly all of it twice, in twice as many steps as there are others. */
    double ringMs(long members, double stepLatencyUs) {
        long steps = 2 * (members - 1);
        return steps * ((double) byteSize / members / bytesPerSecond * MS + stepLatencyUs / MS);
    }
}
