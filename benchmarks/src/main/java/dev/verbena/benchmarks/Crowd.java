package dev.verbena.benchmarks;

import java.util.stream.IntStream;
import java.util.stream.Stream;

/** So many threads that replace blocks of one allocator, each its own. */
record Crowd(Replacement replacement, int threads) {
    /** Whom targets speak of; many are measured also where there are fewer processors. */
    static final int THREADS_MANY = 16;
    static final int THREADS_FEWER = 8;

    private static final String BY = " x";

    /** In tables and in JSON, where one thread is not spoken of. */
    String label() {
        return threads == 1 ? replacement.label : replacement.label + BY + threads;
    }

    static Crowd labelled(String label) {
        String[] parts = label.split(BY);
        Replacement replacement = Stream.of(Replacement.values()).filter(each -> each.label.equals(parts[0]))
                .findFirst().orElseThrow();
        return new Crowd(replacement, parts.length == 1 ? 1 : Integer.parseInt(parts[1]));
    }

    /** The powers of two up to as many as there are processors, that number itself, and many. */
    static int[] sizes(int processors) {
        IntStream powers = IntStream.iterate(1, power -> power <= processors, power -> 2 * power);
        return IntStream.concat(powers, IntStream.of(processors, THREADS_MANY)).sorted().distinct().toArray();
    }
}
