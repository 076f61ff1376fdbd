package dev.verbena.cli.perf;

/**
 * What the client has the server do next: {@code repetitions} times {@code iterations} messages of {@code byteSize}. Many short
 * repetitions warm the JIT up as one long one would not: it compiles what is called often.
 *
 * @param test what both sides do
 * @param isMeasured whether the result is reported
 */
record Round(PerfTest test, long byteSize, int repetitions, long iterations, boolean isMeasured) {
    static final Round END = new Round(PerfTest.WRITE_BW, 0, 0, 0, false);
    /** After each that is measured: the server answers with milliseconds. */
    static final Round WHAT_THE_JIT_TOOK = new Round(PerfTest.WRITE_BW, 0, 0, 0, true);

    long[] toWords() {
        return new long[]{test.ordinal(), byteSize, repetitions, iterations, isMeasured ? 1 : 0};
    }

    static Round of(long[] words) {
        return new Round(PerfTest.values()[(int) words[0]], words[1], (int) words[2], words[3], words[4] != 0);
    }
}
