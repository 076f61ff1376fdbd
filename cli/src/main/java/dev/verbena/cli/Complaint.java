package dev.verbena.cli;

/** Error messages on standard error: one line each, {@code verbena: ...}. */
final class Complaint {
    private Complaint() {}

    /** Prints one line, whatever line breaks the sentence has. */
    static synchronized void print(String sentence) {
        System.err.println(format(sentence));
    }

    static String format(String sentence) {
        return "verbena: " + sentence.strip().replaceAll("\\s*\\R\\s*", "; ");
    }

    /** What to tell of an exception: its message, or its kind where it has none. */
    static String of(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }
}
