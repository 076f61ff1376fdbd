package dev.verbena.benchmarks.report;

import java.util.List;
import java.util.function.DoubleFunction;
import java.util.stream.IntStream;

/**
 * From where to where something is drawn, and what is written at it.
 *
 * @param title null for none
 * @param ticks where there is a line and a label
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Axis(String title, boolean isLogarithmic, double low, double high, List<Double> ticks,
        DoubleFunction<String> label) {
    private static final int TICKS_LINEAR = 5;

    /** With ticks at the powers of ten. */
    public static Axis logarithmic(String title, double low, double high, DoubleFunction<String> label) {
        List<Double> powers = IntStream
                .rangeClosed((int) Math.ceil(Math.log10(low)), (int) Math.floor(Math.log10(high)))
                .mapToObj(power -> Math.pow(10, power)).toList();
        return new Axis(title, true, low, high, powers, label);
    }

    /** With given ticks, the first and the last of which are its ends; one alone is in the middle. */
    public static Axis logarithmic(String title, List<Double> ticks, DoubleFunction<String> label) {
        double beyond = ticks.size() == 1 ? 2 : 1;
        return new Axis(title, true, ticks.getFirst() / beyond, ticks.getLast() * beyond, ticks, label);
    }

    /** From zero, with some round ticks. */
    public static Axis linear(String title, double high, DoubleFunction<String> label) {
        double rough = high / TICKS_LINEAR;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        double step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1);
        List<Double> ticks = IntStream.rangeClosed(0, (int) Math.floor(high / step)).mapToObj(tick -> tick * step)
                .toList();
        return new Axis(title, false, 0, high, ticks, label);
    }

    /** The same with other ends, and the ticks that lie between. */
    Axis between(double low, double high) {
        return new Axis(title, isLogarithmic, low, high,
                ticks.stream().filter(tick -> tick >= low && tick <= high).toList(), label);
    }

    /** Where a value lies; what {@link #value} takes back. */
    double place(double value) {
        return isLogarithmic ? Math.log10(value) : value;
    }

    double value(double place) {
        return isLogarithmic ? Math.pow(10, place) : place;
    }

    /** The value that is so many parts of the axis beyond its high end; below its low end, if they are negative. */
    double beyond(double parts) {
        double length = place(high) - place(low);
        return value(parts < 0 ? place(low) + parts * length : place(high) + parts * length);
    }
}
