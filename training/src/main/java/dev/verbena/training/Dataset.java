package dev.verbena.training;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import dev.verbena.training.data.IdxDirectory;
import dev.verbena.training.data.ImageSet;
import dev.verbena.training.data.SeededRandom;
import dev.verbena.training.data.SyntheticDigits;
import dev.verbena.training.data.SyntheticImages;

/**
 * Images, as rows of numbers in [0, 1], with class labels from 0: a training and a test part.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe; it does not change.
 *
 * <p>Every defect of the files is a {@link DataException} of one line.
 */
public final class Dataset implements TrainingData {
    private final ImageSet train;
    private final ImageSet test;
    private final ImageShape imageShape;
    private final int classCount;

    private Dataset(ImageSet train, ImageSet test, ImageShape imageShape) {
        this.imageShape = imageShape;
        this.train = train;
        this.test = test;
        this.classCount = 1 + Math.max(largestLabel(train), largestLabel(test));
    }

    /** IDX files as MNIST has them (plain or .gz): a train and a test pair, or one pair, split 80/20 by seed. */
    public static Dataset load(Path directory, long seed) {
        List<IdxDirectory.Pair> pairs = new IdxDirectory(directory).pairs();
        return pairs.size() == 2
                ? new Dataset(whole(pairs.get(0)), whole(pairs.get(1)), shape(pairs.get(0)))
                : split(pairs.get(0), seed);
    }

    /** 5000 training and 1000 test digits that the program draws itself when it first needs them, the same on every machine. */
    public static Dataset synthetic(long seed) {
        return new Dataset(SyntheticDigits.draw(5000, seed, 0), SyntheticDigits.draw(1000, seed, 1),
                new ImageShape(1, SyntheticDigits.SIDE, SyntheticDigits.SIDE));
    }

    /** 200 training and 20 test images in ten classes, likewise drawn: for models that take larger ones than digits. */
    public static Dataset synthetic(ImageShape shape, long seed) {
        return new Dataset(SyntheticImages.draw(shape, 200, seed, 0), SyntheticImages.draw(shape, 20, seed, 1), shape);
    }

    /** Of parts made elsewhere, whose images are one row each. */
    static Dataset of(ImageSet train, ImageSet test) {
        return of(train, test, new ImageShape(1, 1, train.featureCount()));
    }

    /** The same of images that are arranged so. */
    static Dataset of(ImageSet train, ImageSet test, ImageShape shape) {
        return new Dataset(train, test, shape);
    }

    @Override
    public int trainCount() {
        return train.count();
    }

    @Override
    public int testCount() {
        return test.count();
    }

    /** Pixels of an image. */
    public int featureCount() {
        return train.featureCount();
    }

    /** One more than the largest label of either part. */
    public int classCount() {
        return classCount;
    }

    @Override
    public DataFacts facts() {
        return new DataFacts(imageShape, classCount, trainCount(), testCount());
    }

    /** Now, what would be drawn when it is first needed, at a time that counts. */
    void draw() {
        train.pixels();
        test.pixels();
    }

    /** The same for all images. */
    public ImageShape imageShape() {
        return imageShape;
    }

    ImageSet train() {
        return train;
    }

    ImageSet test() {
        return test;
    }

    private static ImageShape shape(IdxDirectory.Pair pair) {
        return new ImageShape(1, pair.rows(), pair.columns());
    }

    private static ImageSet whole(IdxDirectory.Pair pair) {
        return part(pair, IntStream.range(0, pair.count()).toArray());
    }

    private static Dataset split(IdxDirectory.Pair pair, long seed) {
        if (pair.count() < 2) {
            throw new DataException(
                    pair.images().file() + " has 1 image; expected at least 2 to split into training and test");
        }
        int[] order = new SeededRandom(seed, SeededRandom.Purpose.SPLIT, 0).permutation(pair.count());
        int trainCount = Math.max(1, (int) (pair.count() * 4L / 5));
        return new Dataset(part(pair, Arrays.copyOf(order, trainCount)),
                part(pair, Arrays.copyOfRange(order, trainCount, order.length)), shape(pair));
    }

    private static ImageSet part(IdxDirectory.Pair pair, int[] members) {
        return new ImageSet(pair.images().data(), pair.labels().data(),
                Math.multiplyExact(pair.rows(), pair.columns()), members);
    }

    private static int largestLabel(ImageSet set) {
        return IntStream.range(0, set.count()).map(set::label).max().orElseThrow();
    }
}
