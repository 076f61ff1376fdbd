package dev.verbena.cli;

/**
 * What the user gave cannot be used; the message is one sentence that says what, where and what to do. Ends in status 2.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class BadInputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BadInputException(String message) {
        super(message);
    }

    /** @throws BadInputException with that sentence, unless it holds */
    public static void require(boolean holds, String sentence) {
        if (!holds) {
            throw new BadInputException(sentence);
        }
    }

    /** @throws BadInputException if what an option of that name was given lies elsewhere */
    public static void requireRange(String name, long value, long min, long max) {
        require(value >= min && value <= max, name + "=" + value + "; give " + min + " to " + max);
    }

    /** @throws BadInputException if what an option of that name was given is 0 or less */
    static void requirePositive(String name, long value) {
        require(value > 0, name + "=" + value + "; give 1 or more");
    }
}
