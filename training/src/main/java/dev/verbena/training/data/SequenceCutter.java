package dev.verbena.training.data;

import java.util.stream.IntStream;

import dev.verbena.training.TextOptions;

/**
 * Cuts a text into sequences. One that is too long becomes several, each of which begins with the last character of the one before: so
 * every character is predicted once, except a unit's first.
 *
 * <pre>
 *   lengthMax = 3:   T h e · c a t           | T h e · |
 *                                                  | · c a t |
 * </pre>
 *
 * <p><b>Owner:</b> the call. <b>Threading:</b> confined to it.
 */
public final class SequenceCutter {
    private final int[] text;
    private final TextOptions options;
    private final IntStream.Builder starts = IntStream.builder();
    private final IntStream.Builder lengths = IntStream.builder();

    private SequenceCutter(int[] text, TextOptions options) {
        this.text = text;
        this.options = options;
    }

    public static SequenceSet cut(int[] text, TextOptions options) {
        SequenceCutter cutter = new SequenceCutter(text, options);
        for (int start = 0; start < text.length;) {
            int end = cutter.end(start);
            cutter.add(start, end);
            start = end;
        }
        return new SequenceSet(text, cutter.starts.build().toArray(), cutter.lengths.build().toArray());
    }

    /** Where the unit ends that begins there. */
    private int end(int start) {
        return options.unit() == TextOptions.Unit.LINE ? endOfLine(start) : endOfSentence(start);
    }

    private int endOfLine(int start) {
        int end = start;
        while (end < text.length && text[end] != '\n') {
            end++;
        }
        return Math.min(end + 1, text.length);
    }

    private int endOfSentence(int start) {
        int end = start + 1;
        while (end < text.length && !(Character.isWhitespace(text[end]) && isStop(text[end - 1]))) {
            end++;
        }
        while (end < text.length && Character.isWhitespace(text[end])) {
            end++;
        }
        return end;
    }

    private static boolean isStop(int character) {
        return character == '.' || character == '!' || character == '?';
    }

    private void add(int start, int end) {
        for (int from = start; end - 1 - from >= options.lengthMin(); from += options.lengthMax()) {
            starts.add(from);
            lengths.add(Math.min(options.lengthMax(), end - 1 - from));
        }
    }
}
