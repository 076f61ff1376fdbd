package dev.verbena.transfer.spi;

import java.util.List;

import dev.verbena.transfer.NetworkOptions;

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

    /** Why it cannot be used here with these options, as a sentence that says what to do; null if it can. */
    String unavailableReason(NetworkOptions network);

    /** What {@link #open} would use of this machine, each with its reason; only where there is no reason against it. */
    List<Setting> settings(NetworkOptions network);

    /** A fabric that has no network looks at the peers' timeout, the secret and TLS alone. */
    Fabric open(NetworkOptions network);
}
