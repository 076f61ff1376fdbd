package dev.verbena.training;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the model's variables, and a server that keeps them, must know of data, and none of it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param image the shape of each image; null of a text
 * @param classCount of images, or ids of characters of a text
 * @param trainCount examples to learn from
 * @param testCount examples that nothing is learned from
 */
public record DataFacts(ImageShape image, int classCount, int trainCount, int testCount) implements TrainingData {
    private static final Pattern TEXT = Pattern
            .compile("(text|(\\d+)x(\\d+)x(\\d+)),classes=(\\d+),train=(\\d+),test=(\\d+)");

    /** @throws IllegalArgumentException if there can be no such data */
    public DataFacts {
        if (image != null && Math.min(image.channels(), Math.min(image.rows(), image.columns())) < 1 || classCount < 1
                || trainCount < 1 || testCount < 0) {
            throw new IllegalArgumentException("image=" + image + " classCount=" + classCount + " trainCount="
                    + trainCount + " testCount=" + testCount + " are facts of no data");
        }
    }

    /**
     * Those that {@link #toString} has written, such as {@code 1x28x28,classes=10,train=5000,test=1000} or
     * {@code text,classes=65,train=900,test=100}.
     *
     * @throws IllegalArgumentException if they are none
     */
    public static DataFacts parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        try {
            if (matcher.matches()) {
                ImageShape image = matcher.group(2) == null
                        ? null
                        : new ImageShape(number(matcher, 2), number(matcher, 3), number(matcher, 4));
                return new DataFacts(image, number(matcher, 5), number(matcher, 6), number(matcher, 7));
            }
        } catch (NumberFormatException _) {
            // Said below.
        }
        throw new IllegalArgumentException("'" + text + "' are no facts of data; give such as "
                + "1x28x28,classes=10,train=5000,test=1000 or text,classes=65,train=900,test=100");
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }

    public boolean isText() {
        return image == null;
    }

    /** Of an image: its numbers. */
    public int featureCount() {
        return image.featureCount();
    }

    /** Who wants examples of it. */
    IllegalArgumentException isNoData() {
        return new IllegalArgumentException(
                "of the data only the facts are here: " + this + "; give a worker the data");
    }

    @Override
    public DataFacts facts() {
        return this;
    }

    @Override
    public String toString() {
        String what = isText() ? "text" : image.channels() + "x" + image.rows() + "x" + image.columns();
        return String.format(Locale.ROOT, "%s,classes=%d,train=%d,test=%d", what, classCount, trainCount, testCount);
    }
}
