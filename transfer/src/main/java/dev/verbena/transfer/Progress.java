package dev.verbena.transfer;

/**
 * Whose threads move a device's transfers on.
 *
 * <p>By pollers: a thread for each completion queue does it (EuroSys'19 §3.1), whatever the program does; a thread that offers a tensor
 * while the poller sleeps writes it itself. By callers: there are no such threads. Who offers, polls or waits does it then, so nothing is
 * handed from one thread to another, but nothing goes on either while the program does none of these, such as the answer to a peer that
 * connects to a receiver. On a fabric where processors move the bytes, who offers a tensor moves it, all of it; on iWARP who offers
 * waits, now and then, to hear that the peer has a receive for it. A program with as many threads as cores wants callers.
 *
 * @param byPollers whether the device has threads of its own for it
 * @param spins rounds without work before a poller, or a caller that waits, sleeps; 0 sleeps at once
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Progress(boolean byPollers, int spins) {
    /** Some microseconds at most, since a poller's core is taken from the program. */
    private static final int POLLER_SPINS = 64;
    /** Longer than sleeping and waking takes, if the other side has another core to answer from; most of these rounds yield. */
    private static final int CALLER_SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 1000 : 0;

    /** Throws {@link IllegalArgumentException} if spins is negative; 0 sleeps at once. */
    public Progress {
        if (spins < 0) {
            throw new IllegalArgumentException("spins=" + spins + "; give 0 or more");
        }
    }

    /** A thread for each completion queue, which sleeps after a microsecond or so without work. */
    public static Progress pollers() {
        return new Progress(true, POLLER_SPINS);
    }

    /**
     * The threads that offer, poll or wait; they spin for some microseconds where there is more than one core, the longer the more willing to let
     * others have it, and sleep at once on one. On {@code shm} they sleep soon, too, where others compute on the core.
     */
    public static Progress callers() {
        return new Progress(false, CALLER_SPINS);
    }

    /** Rounds without work before who drives sleeps; 0 sleeps at once. 64 of pollers, 1000 of callers (0 on one core) unless set. */
    public Progress withSpins(int spins) {
        return new Progress(byPollers, spins);
    }

    @Override
    public String toString() {
        return (byPollers ? "pollers" : "callers") + ", spins=" + spins;
    }
}
