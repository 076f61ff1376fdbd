package dev.verbena.testing.sim;

/**
 * The promises of a fabric, one by one. Each is kept here; tests break them to see that it is found out.
 *
 * <p><b>Owner:</b> the simulation. <b>Threading:</b> immutable.
 */
class Conduct {
    /** Whether the last word of a write waits until all before it have landed. */
    boolean isTailLast() {
        return true;
    }

    /** Whether a request waits until the one before it has landed. */
    boolean isInTurn() {
        return true;
    }

    /** Whether a request completes only when it has landed. */
    boolean completesWhenLanded() {
        return true;
    }

    /** Whether a receive completes only when its message has landed. */
    boolean arrivesWhenLanded() {
        return true;
    }

    /** How often a completion is delivered. */
    int deliveries() {
        return 1;
    }

    /** Whether a failed queue pair gives back what it has not done. */
    boolean flushes() {
        return true;
    }

    /** Whether a failed queue pair does no more of what it has been given. */
    boolean stopsWhenFailed() {
        return true;
    }

    /** Whether a peer's access is checked for rights, bounds and key. */
    boolean checksAccess() {
        return true;
    }

    /** Whether who sleeps hears of what was put at once. */
    boolean wakesForPuts() {
        return true;
    }

    /** How many bytes at the end of a message are left out. */
    long missing() {
        return 0;
    }

    /** How often a lost connection is told of. */
    int lossNotices() {
        return 1;
    }

    /** Whether the peer of a failed queue pair fails too. */
    boolean tellsPeerOfFailure() {
        return true;
    }

    /** Whether closing returns all that was held. */
    boolean releases() {
        return true;
    }
}
