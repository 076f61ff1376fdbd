package dev.verbena.benchmarks;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

import org.openjdk.jmh.infra.Blackhole;

/**
 * What one more thread does beside those that replace blocks.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Companion {
    /** It takes as much of the processors, which may be two on one core, and nothing else. */
    SPINNING("spinning"),
    /** It asks for more than is free. */
    FULL("full"),
    /** It asks for less than is free, but no hole fits. */
    NO_HOLE("no-hole");

    static final Set<Companion> ASKING = EnumSet.of(FULL, NO_HOLE);
    /** Beside so many threads. */
    static final int[] CROWDS = {1, 2, 4, Crowd.THREADS_FEWER};

    /** Some tens of nanoseconds. */
    private static final long TOKENS = 20;
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

    /** Once: asks in vain, or not at all. */
    void act(VerbenaAddressSlots slots) {
        switch (this) {
            case SPINNING -> Blackhole.consumeCPU(TOKENS);
            case FULL -> slots.askInVain(slots.full());
            case NO_HOLE -> slots.askInVain(slots.noHole());
        }
    }
}
