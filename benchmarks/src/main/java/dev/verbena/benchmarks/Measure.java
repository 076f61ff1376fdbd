package dev.verbena.benchmarks;

/** What is measured, and in which unit. */
enum Measure {
    PAIR("allocate + free, 1 thread", "ns"),
    HAND_OVER("free in another thread", "ns"),
    LARGE_RUNS("runs of 64 KiB to 256 MiB", "ns"),
    PAUSE("pause p99.99", "ns"),
    PAUSE_MAX("longest pause", "ns"),
    CLOCK_PAUSE("pause p99.99 of the clock alone", "ns"),
    CLOCK("two readings of the clock", "ns"),
    REGION("region / peak of live bytes", ""),
    HEAP("Java heap per pair", "B");

    final String title;
    final String unit;

    Measure(String title, String unit) {
        this.title = title;
        this.unit = unit;
    }
}
