package dev.verbena.transfer.spi;

/**
 * Opens one kind of fabric; found through {@link java.util.ServiceLoader}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public interface FabricProvider {
    /** The name users select it by: {@code shm}, {@code verbs}. */
    String name();

    /** Higher is preferred by {@code auto}. */
    int preference();

    /** Why it cannot be used here, as a sentence that says what to do; null if it can. */
    String unavailableReason();

    Fabric open();
}
