package dev.verbena.testing.trace;

/**
 * One line of {@link TraceText}, both ways.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
final class TraceLine {
    private TraceLine() {}

    /**
     * The event on the line, or null if it is empty or a comment.
     *
     * @throws IllegalArgumentException that says what is wrong and what to do
     */
    static TraceEvent parse(String line) {
        String text = line.strip();
        if (text.isEmpty() || text.charAt(0) == '#') {
            return null;
        }
        String[] fields = text.split("[ \t]+");
        return switch (fields[0]) {
            case "a" -> {
                checkCount(fields, 3, 4, "a ID BYTES [THREAD]");
                yield new TraceEvent.Allocate(number(fields, 1, "ID"), size(fields[2]), thread(fields, 3));
            }
            case "f" -> {
                checkCount(fields, 2, 3, "f ID [THREAD]");
                yield new TraceEvent.Free(number(fields, 1, "ID"), thread(fields, 2));
            }
            case "i" -> {
                checkCount(fields, 1, 1, "i");
                yield new TraceEvent.Mark();
            }
            default -> throw new IllegalArgumentException("'" + fields[0]
                    + "' begins no line of a trace: use a (allocate), f (free), i (iteration) or # (comment)");
        };
    }

    static void print(TraceEvent event, StringBuilder text) {
        switch (event) {
            case TraceEvent.Allocate allocate ->
                thread(text.append("a ").append(allocate.id()).append(' ').append(allocate.byteSize()),
                        allocate.thread());
            case TraceEvent.Free free -> thread(text.append("f ").append(free.id()), free.thread());
            case TraceEvent.Mark _ -> text.append('i');
        }
        text.append('\n');
    }

    private static void thread(StringBuilder text, int thread) {
        if (thread != 0) {
            text.append(' ').append(thread);
        }
    }

    private static int thread(String[] fields, int index) {
        return index < fields.length ? number(fields, index, "THREAD") : 0;
    }

    private static void checkCount(String[] fields, int countMin, int countMax, String form) {
        if (fields.length < countMin || fields.length > countMax) {
            throw new IllegalArgumentException("fields=" + fields.length + ": the line must read '" + form + "'");
        }
    }

    private static int number(String[] fields, int index, String name) {
        try {
            return Integer.parseInt(fields[index]);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    name + "=" + fields[index] + " must be a whole number of at most 2^31 - 1", e);
        }
    }

    private static long size(String field) {
        try {
            return Long.parseLong(field);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("BYTES=" + field + " must be a whole number of at most 2^63 - 1", e);
        }
    }
}
