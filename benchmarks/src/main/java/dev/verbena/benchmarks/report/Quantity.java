package dev.verbena.benchmarks.report;

import java.util.Locale;

/**
 * Numbers as people read them: with three digits that count, and a unit that suits them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
public final class Quantity {
    private static final int DIGITS = 3;

    private Quantity() {}

    /** Such as 0.0123, 4.56, 789 or 12,345; nothing for NaN. */
    public static String number(double value) {
        if (Double.isNaN(value)) {
            return "";
        }
        int whole = value == 0 ? DIGITS : (int) Math.floor(Math.log10(Math.abs(value))) + 1;
        String text = String.format(Locale.ROOT, "%,." + Math.max(0, DIGITS - whole) + "f", value);
        return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
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
