package dev.verbena.stress.races;

/** What may be refused because another thread was faster. */
final class Attempt {
    private Attempt() {}

    /** Whether it was done; an {@link IllegalStateException} is a refusal, anything else goes through. */
    static boolean to(Runnable action) {
        try {
            action.run();
            return true;
        } catch (IllegalStateException _) {
            return false;
        }
    }
}
