package dev.verbena.benchmarks;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What one more thread does beside those that replace blocks.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Companion {
    /** It asks for more than is free. */
    FULL("full"),
    /** As {@link #FULL}, but an arena of its own: it takes as much of the machine, and shares nothing. */
    FULL_ELSEWHERE("full elsewhere"),
    /** It asks for less than is free, but no hole fits. */
    NO_HOLE("no-hole"),
    /** As {@link #NO_HOLE}, but an arena of its own. */
    NO_HOLE_ELSEWHERE("no-hole elsewhere");

    /** Those that ask the arena of the others. */
    static final Set<Companion> ASKING = EnumSet.of(FULL, NO_HOLE);
    /** Beside so many threads. */
    static final int[] CROWDS = {1, 2, 4, Crowd.THREADS_FEWER};

    private static final String BESIDE = " beside ";

    private final String word;

    Companion(String word) {
        this.word = word;
    }

    /** In tables and in JSON, of one that is alone. */
    String label() {
        return word;
    }

    String label(int threads) {
        return word + BESIDE + threads;
    }

    static Companion labelled(String label) {
        return Stream.of(values()).filter(each -> each.word.equals(label.split(BESIDE)[0])).findFirst().orElseThrow();
    }

    /** 0 of one that is alone. */
    static int threadsOf(String label) {
        String[] parts = label.split(BESIDE);
        return parts.length == 1 ? 0 : Integer.parseInt(parts[1]);
    }

    boolean isElsewhere() {
        return !ASKING.contains(this);
    }

    /** What asks for the same elsewhere; of one that asks the arena of the others. */
    Companion elsewhere() {
        return this == FULL ? FULL_ELSEWHERE : NO_HOLE_ELSEWHERE;
    }

    /** Asks once, in vain. */
    void act(VerbenaAddressSlots slots) {
        boolean isFull = this == FULL || this == FULL_ELSEWHERE;
        slots.askInVain(isFull ? slots.full() : slots.noHole());
    }
}
