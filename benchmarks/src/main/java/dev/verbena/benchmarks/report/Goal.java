package dev.verbena.benchmarks.report;

/**
 * What was to be reached, and what was.
 *
 * @param what is compared, such as "gRPC of 1 MiB / static of 1 MiB"
 * @param value NaN if it was not measured
 * @param limit NaN if the value is for information
 * @param isAtLeast the limit; else at most
 * @param verdict "met", "MISSED", or why it is neither
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Goal(String what, Spread value, double limit, boolean isAtLeast, String verdict) {
    private static final String MET = "met";
    private static final String MISSED = "MISSED";

    /** As the word is written in tables of text. */
    public static String verdict(boolean isMet) {
        return isMet ? MET : MISSED;
    }

    boolean isMet() {
        return MET.equals(verdict);
    }

    /** Whether it can be drawn beside others: it is met or missed, by a factor. */
    boolean isComparable() {
        return (isMet() || MISSED.equals(verdict)) && value.isPositive() && limit > 0;
    }

    /** How many times better than the limit: 1 just reaches it. */
    Spread margin() {
        return isAtLeast
                ? value.times(1 / limit)
                : new Spread(limit / value.high(), limit / value.median(), limit / value.low());
    }

    String limitText() {
        return Double.isNaN(limit) ? "" : (isAtLeast ? "≥ " : "≤ ") + Quantity.number(limit);
    }
}
