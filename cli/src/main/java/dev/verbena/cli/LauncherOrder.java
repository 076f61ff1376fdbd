package dev.verbena.cli;

import java.util.Map;

import dev.verbena.transfer.Endpoint;

/**
 * What a launcher tells its tasks, as {@link RecordLines}. That the lines end is an order too: the launcher is gone, so end at once.
 */
sealed interface LauncherOrder {
    /** All tasks listen, at these endpoints: train. */
    record Start(Map<String, Endpoint> cluster) implements LauncherOrder {}

    /** Another task is gone and nobody else may have been able to say so: give up. */
    record Abort(String cause) implements LauncherOrder {}
}
