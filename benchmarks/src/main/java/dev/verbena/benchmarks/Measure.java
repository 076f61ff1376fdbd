package dev.verbena.benchmarks;

/** What is measured, and in which unit. */
enum Measure {
    PAIR(Part.PAIRS, "allocate + free, 1 thread", "ns"),
    HEAP(Part.PAIRS, "Java heap per pair", "B"),
    HAND_OVER(Part.HAND_OVER, "free in another thread", "ns"),
    LARGE_RUNS(Part.LARGE_RUNS, "runs of 64 KiB to 256 MiB", "ns"),
    PAUSE(Part.PAUSES, "p99.99 of a pair", "ns"),
    PAUSE_MAX(Part.PAUSES, "longest pair", "ns"),
    NOTHING_PAUSE(Part.PAUSES, "p99.99 of readings as long as a pair", "ns"),
    NOTHING(Part.PAUSES, "readings as long as a pair", "ns"),
    /** Million pairs a second of all threads together: more is better. */
    THREADS(Part.THREADS, "pairs by threads", "M/s"),
    REFUSAL(Part.REFUSALS, "a refused request", "ns"),
    /** As THREADS, while one more thread asks in vain, or merely spins. */
    BESIDE_REFUSAL(Part.REFUSALS, "pairs beside another thread", "M/s"),
    /** As THREADS, by so many virtual threads that they share heaps. */
    VIRTUAL(Part.VIRTUAL, "pairs by virtual threads", "M/s"),
    REGION(Part.REGIONS, "region / peak of live bytes", "");

    final Part part;
    final String title;
    final String unit;

    Measure(Part part, String title, String unit) {
        this.part = part;
        this.title = title;
        this.unit = unit;
    }

    boolean isMoreBetter() {
        return this == THREADS || this == BESIDE_REFUSAL || this == VIRTUAL;
    }
}
