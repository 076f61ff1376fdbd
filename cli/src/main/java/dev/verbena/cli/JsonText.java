package dev.verbena.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

import com.fasterxml.jackson.jr.ob.JSON;

/**
 * What commands say to programs: a JSON object, on a line or over several.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
final class JsonText {
    private JsonText() {}

    /** The object on a line of its own, without the end of that line. */
    static String write(Map<String, ?> object) {
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

    /** JSON has no NaN: an unmeasured number is null. */
    static Double nullable(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
