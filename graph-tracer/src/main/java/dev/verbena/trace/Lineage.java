package dev.verbena.trace;

/**
 * Which sites storage has gone through: the one that allocated it, and those that took it over in place, newest first.
 *
 * <p>Whether a runtime works in place depends on who else has read the storage yet, so on timing: what was taken over in one iteration may
 * be allocated in another, and the other way round. So a send remembers all of them, and a registered site takes over registered
 * storage only. Then no order of execution brings a copy back. (One addition to EuroSys'19 §3.4.)
 *
 * <p>Confined to the tracer's lock.
 */
final class Lineage {
    private final Site site;
    private final Lineage previous;
    private final boolean guess;
    /** How it went on last, which is how it goes on in the next iteration. */
    private Lineage next;

    /**
     * @param previous null where the storage began, or where nothing is known of its beginning
     * @param isGuess whether the site was told by the order of allocations alone, without looking at the stack
     */
    Lineage(Site site, Lineage previous, boolean isGuess) {
        this.site = site;
        this.previous = previous;
        this.guess = isGuess;
    }

    Site site() {
        return site;
    }

    Lineage previous() {
        return previous;
    }

    boolean isGuess() {
        return guess;
    }

    /** The storage goes on at a site; one that had it before, in a loop, adds nothing. */
    Lineage takenOverBy(Site taker, boolean isGuess) {
        Lineage known = next;
        if (known != null && known.site == taker && known.guess == isGuess) {
            return known;
        }
        for (Lineage each = this; each != null; each = each.previous) {
            if (each.site == taker) {
                return this;
            }
        }
        next = new Lineage(taker, this, isGuess);
        return next;
    }

    /** Where it began, as far as is known. */
    Site origin() {
        Lineage each = this;
        while (each.previous != null) {
            each = each.previous;
        }
        return each.site;
    }
}
