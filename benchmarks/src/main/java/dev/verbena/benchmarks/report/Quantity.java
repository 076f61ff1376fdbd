package dev.verbena.benchmarks.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/**
 * Numbers as people read them: with three digits that count, unless fewer say all, and a unit that suits them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
public final class Quantity {
    private static final int DIGITS = 3;
    /** From here on all digits are written that are not behind the point. */
    private static final double WHOLE_MIN = 1000;
    /** Such as ticks of axes and targets. */
    private static final double ROUND = 1e-12;

    private Quantity() {}

    /** Such as 0.0123, 4.56, 789 or 12,345; nothing for NaN. */
    public static String number(double value) {
        if (Double.isNaN(value)) {
            return "";
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(DIGITS));
        boolean isRound = Math.abs(rounded.doubleValue() - value) <= ROUND * Math.abs(value);
        BigDecimal shown = isRound ? rounded.stripTrailingZeros() : rounded;
        return String.format(Locale.ROOT, "%,." + Math.max(0, shown.scale()) + "f",
                Math.abs(value) < WHOLE_MIN ? shown.doubleValue() : value);
    }

    /** Of microseconds. */
    public static String time(double microseconds) {
        if (Double.isNaN(microseconds)) {
            return "";
        }
        return microseconds < .9995 ? number(microseconds * 1e3) + " ns"
                : microseconds < 999.5 ? number(microseconds) + " µs"
                        : microseconds < 999.5e3 ? number(microseconds / 1e3) + " ms"
                                : number(microseconds / 1e6) + " s";
    }

    /** How many times as much. */
    public static String times(double ratio) {
        return number(ratio) + "×";
    }
}
