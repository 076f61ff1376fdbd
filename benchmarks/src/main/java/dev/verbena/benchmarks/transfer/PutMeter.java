package dev.verbena.benchmarks.transfer;

import java.io.IOException;

/**
 * Somebody's tool that measures puts.
 *
 * <p><b>Owner:</b> {@link RawPuts}. <b>Threading:</b> confined to its thread.
 */
interface PutMeter {
    /**
     * @return in the unit of {@code put}
     * @throws IllegalStateException if it cannot be measured here, with the reason and what to do
     */
    double measure(Put put, boolean isQuick) throws IOException, InterruptedException;
}
