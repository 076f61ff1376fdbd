package dev.verbena.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

import com.fasterxml.jackson.jr.ob.JSON;

/**
 * One JSON object per line: what launcher and tasks say to each other over standard input and output, and commands to programs.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class JsonLines {
    private JsonLines() {}

    /** The object on a line of its own, without the end of that line. */
    public static String write(Map<String, ?> object) {
        try {
            return JSON.std.asString(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The object for people to read, over several lines. */
    static String pretty(Map<String, ?> object) {
        try {
            return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(object) + "\n";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The object on the line, or null if the line is none: something else printed it. */
    public static Map<String, Object> read(String line) {
        if (!line.startsWith("{")) {
            return null;
        }
        try {
            return JSON.std.mapFrom(line);
        } catch (IOException _) {
            return null;
        }
    }

    /** A number of a JSON object. */
    public static long wide(Object value) {
        return ((Number) value).longValue();
    }

    static double real(Object value) {
        return value instanceof Number number ? number.doubleValue() : Double.NaN;
    }

    /** JSON has no NaN: an unmeasured number is null. */
    static Double nullable(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
