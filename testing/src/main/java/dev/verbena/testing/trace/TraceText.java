package dev.verbena.testing.trace;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Traces as text, one event per line:
 *
 * <pre>
 *   verbena-trace 1             the first line: the format and its version
 *   # anything                  a comment; a line of its own; these and empty lines mean nothing
 *   a ID BYTES [THREAD]         allocate: thread THREAD (0 if left out) takes BYTES bytes and calls them ID
 *   f ID [THREAD]               free: thread THREAD gives back what is called ID
 *   i                           an iteration's boundary: what lies between two of them is one iteration
 * </pre>
 *
 * <p>Numbers are decimal, fields are separated by blanks, the encoding is UTF-8. IDs count up from 0 in the order of allocation; each is
 * freed once, by whichever thread, and none is left at the end. THREAD is less than 256. The order of lines is the order in which things
 * happened, over all threads. A file whose name ends in {@code .gz} is compressed by gzip.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class TraceText {
    private static final String HEADER = "verbena-trace 1";

    private TraceText() {}

    /**
     * The trace in a file.
     *
     * @throws TraceFormatException if there is none
     * @throws IOException if the file cannot be read
     */
    public static Trace read(Path file) throws IOException {
        try (BufferedReader text = new BufferedReader(new InputStreamReader(isCompressed(file)
                ? new GZIPInputStream(Files.newInputStream(file))
                : Files.newInputStream(file), StandardCharsets.UTF_8))) {
            return parse(file.toString(), text);
        }
    }

    /**
     * The trace in a text, which stays open; {@code file} is for messages.
     *
     * @throws TraceFormatException if there is none
     * @throws IOException if the text cannot be read
     */
    public static Trace parse(String file, Reader text) throws IOException {
        BufferedReader lines = text instanceof BufferedReader buffered ? buffered : new BufferedReader(text);
        String header = lines.readLine();
        if (!HEADER.equals(header)) {
            throw new TraceFormatException(file, 1,
                    "the first line must be '" + HEADER + "'" + (header == null ? ", and the file is empty"
                            : header.startsWith("verbena-trace ")
                                    ? ": another version of the format needs another Verbena"
                                    : ": is this a trace? see docs/guide/traces.md"));
        }
        List<TraceEvent> events = new ArrayList<>();
        TraceRules rules = new TraceRules();
        int number = 1;
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                TraceEvent event = TraceLine.parse(line);
                if (event != null) {
                    rules.check(event);
                    events.add(event);
                }
            }
            rules.checkEnd();
        } catch (IllegalArgumentException e) {
            throw new TraceFormatException(file, number, e.getMessage());
        }
        return new Trace(events);
    }

    /** The trace as text, with a comment of any number of lines, or none, behind the first line. */
    public static String print(Trace trace, String comment) {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        comment.lines().forEach(line -> text.append("# ").append(line).append('\n'));
        trace.events().forEach(event -> TraceLine.print(event, text));
        return text.toString();
    }

    /** Writes {@link #print} into a file. */
    public static void write(Trace trace, String comment, Path file) throws IOException {
        try (OutputStream output = isCompressed(file) ? new GZIPOutputStream(Files.newOutputStream(file))
                : Files.newOutputStream(file)) {
            output.write(print(trace, comment).getBytes(StandardCharsets.UTF_8));
        }
    }

    private static boolean isCompressed(Path file) {
        return file.toString().endsWith(".gz");
    }
}
