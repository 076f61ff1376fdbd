package dev.verbena.training;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

import dev.verbena.training.data.SequenceCutter;
import dev.verbena.training.data.SequenceSet;
import dev.verbena.training.data.TextFile;

/**
 * A text as sequences of character ids: the first nine tenths of its sequences to train with, the last tenth held out.
 *
 * <p>The vocabulary is the characters (code points) of the training part, the most frequent ones if there are too many, in ascending
 * order with ids from 1; all others are {@link #UNKNOWN}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable. Every defect of the file is a {@link DataException} of one line.
 */
public final class TextCorpus implements TrainingData {
    /** The id of every character that is not in the vocabulary. */
    public static final int UNKNOWN = 0;

    /** What stands for an unknown character where a text is shown. */
    private static final int REPLACEMENT = 0xFFFD;
    private static final int HELD_OUT_SHARE = 10;

    /** Ascending; the character at i has id i + 1. */
    private final int[] vocabulary;
    private final SequenceSet train;
    private final SequenceSet heldOut;

    private TextCorpus(int[] vocabulary, SequenceSet train, SequenceSet heldOut) {
        this.vocabulary = vocabulary;
        this.train = train;
        this.heldOut = heldOut;
    }

    /** @throws DataException if the file is missing, empty, too large, not UTF-8, or has fewer than two sequences */
    public static TextCorpus load(Path file, TextOptions options) {
        int[] text = TextFile.read(file);
        SequenceSet all = SequenceCutter.cut(text, options);
        if (all.count() < 2) {
            throw new DataException(file + " is too short: it has " + all.count() + " of the 2 sequences ("
                    + options.unit() + ") of at least " + (options.lengthMin() + 1)
                    + " characters that are needed, one to train with and one held out");
        }
        int heldOutCount = Math.max(1, all.count() / HELD_OUT_SHARE);
        SequenceSet train = all.part(0, all.count() - heldOutCount);
        int[] vocabulary = vocabulary(text, train, options.vocabularyMax() - 1);
        // The text becomes ids where it lies: both parts share it.
        for (int i = 0; i < text.length; i++) {
            text[i] = id(vocabulary, text[i]);
        }
        return new TextCorpus(vocabulary, train, all.part(all.count() - heldOutCount, all.count()));
    }

    private static int[] vocabulary(int[] text, SequenceSet train, int countMax) {
        Map<Integer, long[]> counts = new HashMap<>();
        for (int i = 0; i < train.count(); i++) {
            for (int j = 0; j <= train.length(i); j++) {
                counts.computeIfAbsent(text[train.start(i) + j], character -> new long[1])[0]++;
            }
        }
        return counts.entrySet().stream()
                .sorted(Comparator.<Map.Entry<Integer, long[]>>comparingLong(entry -> -entry.getValue()[0])
                        .thenComparing(Map.Entry::getKey))
                .limit(countMax).mapToInt(Map.Entry::getKey).sorted().toArray();
    }

    private static int id(int[] vocabulary, int character) {
        return Math.max(UNKNOWN, 1 + Arrays.binarySearch(vocabulary, character));
    }

    /** Ids, {@link #UNKNOWN} among them. */
    public int vocabularySize() {
        return 1 + vocabulary.length;
    }

    @Override
    public int trainCount() {
        return train.count();
    }

    @Override
    public int testCount() {
        return heldOut.count();
    }

    @Override
    public DataFacts facts() {
        return new DataFacts(null, vocabularySize(), trainCount(), testCount());
    }

    public int[] ids(String text) {
        return text.codePoints().map(character -> id(vocabulary, character)).toArray();
    }

    /** What ids stand for, with U+FFFD where that is unknown. */
    public String text(int... ids) {
        StringBuilder text = new StringBuilder(ids.length);
        for (int id : ids) {
            text.appendCodePoint(id == UNKNOWN ? REPLACEMENT : vocabulary[id - 1]);
        }
        return text.toString();
    }

    SequenceSet train() {
        return train;
    }

    SequenceSet heldOut() {
        return heldOut;
    }
}
