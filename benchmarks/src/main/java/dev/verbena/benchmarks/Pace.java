package dev.verbena.benchmarks;

/**
 * How long everything takes.
 *
 * @param rounds each subject's turns; between two of them all others have theirs
 * @param forks JVMs per turn; 0: in this one, which is good for a smoke test only
 * @param warmUpMs before the first stretch of a turn
 * @param stretchMs of one measurement
 * @param stretches of a turn, whose median is the round's figure
 * @param pausesMs of the one stretch that pauses are counted in
 */
record Pace(int rounds, int forks, int warmUpMs, int stretchMs, int stretches, int pausesMs) {
    static Pace thorough(int rounds) {
        return new Pace(rounds, 1, 1500, 200, 7, 5000);
    }

    /** Shows that everything runs, not how fast it is. */
    static Pace quick() {
        return new Pace(1, 0, 1, 1, 1, 1);
    }

    boolean isQuick() {
        return forks == 0;
    }
}
