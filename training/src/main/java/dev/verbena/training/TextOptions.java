package dev.verbena.training;

/**
 * How a text becomes sequences to train with.
 *
 * @param unit what one sequence is
 * @param vocabularyMax different characters that are told apart, with one for all others; at least 2
 * @param lengthMin steps of the shortest sequence that is kept, at least 1; a step predicts a character from those before it
 * @param lengthMax steps of the longest; what is longer is cut
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record TextOptions(Unit unit, int vocabularyMax, int lengthMin, int lengthMax) {
    /** Where a sequence ends. */
    public enum Unit {
        /** Behind a line feed. */
        LINE,
        /** Behind the white space after a full stop, an exclamation mark or a question mark. */
        SENTENCE
    }

    public TextOptions {
        if (vocabularyMax < 2) {
            throw new IllegalArgumentException(
                    "vocabularyMax=" + vocabularyMax + "; at least 2, one character and one for all others");
        }
        if (lengthMin < 1 || lengthMax < lengthMin) {
            throw new IllegalArgumentException(
                    "lengthMin=" + lengthMin + " and lengthMax=" + lengthMax
                            + "; expected 1 <= lengthMin <= lengthMax");
        }
    }

    /** Lines of up to 128 steps, of up to 512 different characters. */
    public static TextOptions defaults() {
        return new TextOptions(Unit.LINE, 512, 1, 128);
    }
}
