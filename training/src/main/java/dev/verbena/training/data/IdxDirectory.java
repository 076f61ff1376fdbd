package dev.verbena.training.data;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.verbena.training.DataException;

/**
 * Finds the pairs of images and labels in a directory, by the names that MNIST's files have, with or without {@code .gz}, and
 * also as some archives unpack them, with a dot for the second hyphen.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record IdxDirectory(Path directory) {
    private static final List<String> SETS = List.of("train", "t10k");

    /** The images and labels of one set; both checked against each other. */
    public record Pair(IdxFile images, IdxFile labels) {
        public Pair {
            if (images.dimensions()[0] != labels.dimensions()[0]) {
                throw new DataException(
                        images.file() + " has " + images.dimensions()[0] + " images but " + labels.file()
                                + " has " + labels.dimensions()[0] + " labels; expected equally many");
            }
        }

        public int count() {
            return labels.data().length;
        }

        public int rows() {
            return images.dimensions()[1];
        }

        public int columns() {
            return images.dimensions()[2];
        }
    }

    /** One pair, or train and test. @throws DataException if there is none, one is incomplete, or a file is defective */
    public List<Pair> pairs() {
        if (!Files.exists(directory)) {
            throw new DataException(directory + " does not exist; expected a directory with IDX files such as "
                    + fileName("train", IdxFile.Content.IMAGES, "-", ".gz"));
        }
        if (!Files.isDirectory(directory)) {
            throw new DataException(directory + " is not a directory; expected one with IDX files such as "
                    + fileName("train", IdxFile.Content.IMAGES, "-", ".gz"));
        }
        List<Pair> pairs = new ArrayList<>();
        for (String set : SETS) {
            pair(set).ifPresent(pairs::add);
        }
        if (pairs.isEmpty()) {
            throw new DataException(directory + " holds no IDX files; expected train-images-idx3-ubyte and "
                    + "train-labels-idx1-ubyte, or t10k-..., plain or .gz");
        }
        if (pairs.size() == 2) {
            checkSameSize(pairs.get(0), pairs.get(1));
        }
        return pairs;
    }

    private Optional<Pair> pair(String set) {
        Optional<Path> images = find(set, IdxFile.Content.IMAGES);
        Optional<Path> labels = find(set, IdxFile.Content.LABELS);
        if (images.isEmpty() && labels.isEmpty()) {
            return Optional.empty();
        }
        if (images.isEmpty() || labels.isEmpty()) {
            IdxFile.Content missing = images.isEmpty() ? IdxFile.Content.IMAGES : IdxFile.Content.LABELS;
            throw new DataException(images.or(() -> labels).get() + " has no " + missing.noun + " beside it; expected "
                    + fileName(set, missing, "-", "") + " or the same with .gz");
        }
        return Optional.of(new Pair(IdxFile.read(images.get(), IdxFile.Content.IMAGES),
                IdxFile.read(labels.get(), IdxFile.Content.LABELS)));
    }

    private Optional<Path> find(String set, IdxFile.Content content) {
        for (String ending : List.of("", ".gz")) {
            for (String separator : List.of("-", ".")) {
                Path file = directory.resolve(fileName(set, content, separator, ending));
                if (Files.isRegularFile(file)) {
                    return Optional.of(file);
                }
            }
        }
        return Optional.empty();
    }

    private static String fileName(String set, IdxFile.Content content, String separator, String ending) {
        return set + "-" + content.noun + separator + "idx" + content.rank() + "-ubyte" + ending;
    }

    private static void checkSameSize(Pair train, Pair test) {
        if (train.rows() != test.rows() || train.columns() != test.columns()) {
            throw new DataException(
                    test.images().file() + " has images of " + test.rows() + "x" + test.columns() + " but "
                            + train.images().file() + " of " + train.rows() + "x" + train.columns()
                            + "; expected the same size");
        }
    }
}
