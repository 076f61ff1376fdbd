package dev.verbena.training;

import dev.verbena.training.data.MiniBatches;

/**
 * After which iterations all tasks do more than train; each of them asks, and all get the same answer.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param validateEvery iterations between two measurements of what is held out; 0 for none but the last
 * @param last after which the one measurement is made that is always made
 */
record Schedule(long validateEvery, int last) {
    static Schedule of(TrainingOptions options, TrainingData data) {
        return new Schedule((long) options.validateEvery()
                * MiniBatches.iterationsPerEpoch(data.trainCount(), options.workers(), options.batch()),
                options.iterations());
    }

    /** Not after the last. */
    boolean isMeasuredAfter(int done) {
        return validateEvery > 0 && done % validateEvery == 0 && done < last;
    }
}
