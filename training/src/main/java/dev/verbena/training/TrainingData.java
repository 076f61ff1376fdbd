package dev.verbena.training;

/**
 * What a model is trained on: examples to learn from, and others that it is measured by; or, for who needs none of them, what is to be known of them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe; it does not change.
 */
public sealed interface TrainingData permits Dataset, TextCorpus, DataFacts {
    /** Examples to learn from: images, or sequences. */
    int trainCount();

    /** Examples that nothing is learned from. */
    int testCount();

    /** What there is to know of it for who only keeps variables. */
    DataFacts facts();
}
