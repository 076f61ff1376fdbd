package dev.verbena.stress.soak;

import java.util.function.Supplier;

/** What an arena did wrong, and where. */
final class SoakFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SoakFailure(String message) {
        super(message);
    }

    SoakFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /** Fails unless the condition holds; only then is the message made. */
    static void unless(boolean condition, Supplier<String> message) {
        if (!condition) {
            throw new SoakFailure(message.get());
        }
    }

    /** Fails unless the action throws what a wrong use must throw. */
    static void unlessRefused(Runnable wrongUse, Supplier<String> what) {
        try {
            wrongUse.run();
        } catch (IllegalStateException | IllegalArgumentException _) {
            return;
        }
        throw new SoakFailure("not refused: " + what.get());
    }
}
