package dev.verbena.training;

import java.nio.file.Path;

/** Interim signature. Images as float rows in [0,1] and class labels, training and test part. Immutable. */
public final class Dataset {
    private Dataset() {}

    /** IDX files as MNIST has them (plain or .gz): a train and a test pair, or one pair, split 80/20 by seed. */
    public static Dataset load(Path directory, long seed) {
        throw new UnsupportedOperationException();
    }

    /** Digits drawn by the program itself. */
    public static Dataset synthetic(long seed) {
        throw new UnsupportedOperationException();
    }

    public int trainCount() {
        throw new UnsupportedOperationException();
    }

    public int testCount() {
        throw new UnsupportedOperationException();
    }

    public int featureCount() {
        throw new UnsupportedOperationException();
    }

    public int classCount() {
        throw new UnsupportedOperationException();
    }
}
