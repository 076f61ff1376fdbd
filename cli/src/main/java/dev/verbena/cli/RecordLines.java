package dev.verbena.cli;

import java.io.IOException;
import java.io.UncheckedIOException;

import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.jr.ob.JSON;

/**
 * What processes of this program say to each other over standard input and output, a line each: a record of a sealed interface, by its name and, as
 * JSON, its components, of which the library would miss those called isThis or getThat. Numbers may be no numbers, which is not JSON: nobody else reads
 * them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class RecordLines {
    private static final JSON LINES = JSON.builder(new JsonFactoryBuilder()
            .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS).enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build())
            .build();

    private RecordLines() {}

    /** The record on a line of its own, without the end of that line. */
    public static String write(Object message) {
        try {
            return head(message.getClass()) + LINES.asString(message);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The record of that interface on the line, or null if the line is none: something else printed it. */
    public static <T> T read(Class<T> messages, String line) {
        for (Class<?> message : messages.getPermittedSubclasses()) {
            if (line.startsWith(head(message))) {
                try {
                    return messages.cast(LINES.beanFrom(message, line.substring(head(message).length())));
                } catch (IOException _) {
                    return null;
                }
            }
        }
        return null;
    }

    private static String head(Class<?> message) {
        return message.getSimpleName() + " ";
    }
}
