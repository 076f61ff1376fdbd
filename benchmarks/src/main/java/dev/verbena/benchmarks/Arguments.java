package dev.verbena.benchmarks;

/**
 * Reads the values behind options.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
public final class Arguments {
    private Arguments() {}

    /** What stands behind an option. @throws IllegalArgumentException if nothing does */
    public static String valueOf(String[] arguments, int index) {
        if (index + 1 == arguments.length) {
            throw new IllegalArgumentException(arguments[index] + " needs a value behind it");
        }
        return arguments[index + 1];
    }

    /** @throws IllegalArgumentException if it is not from 1 to max, which has two digits at most */
    public static int number(String option, String text, int max) {
        if (text.matches("[1-9][0-9]?") && Integer.parseInt(text) <= max) {
            return Integer.parseInt(text);
        }
        throw new IllegalArgumentException(option + "=" + text + " must be a whole number from 1 to " + max);
    }
}
