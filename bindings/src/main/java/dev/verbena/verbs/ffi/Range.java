package dev.verbena.verbs.ffi;

/**
 * The check of a number that goes into a field of so many bits.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Range {
    /** Of reads and atomics under way: the device's fields for them have 8 bits. */
    public static final int READS_MAX = 255;

    private Range() {}

    /** @throws IllegalArgumentException if the value is outside; both ends belong to it */
    public static void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + "=" + value + ": give " + min + " to " + max);
        }
    }
}
