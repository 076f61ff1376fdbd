package dev.verbena.cli.infer;

import java.util.List;

import dev.verbena.transfer.Endpoint;

/** What a part of a model is told by the process that started it, as {@link dev.verbena.cli.RecordLines}. That the lines end is an order too: end at once. */
sealed interface PartOrder {
    /** All parts listen, at these endpoints. */
    record Connect(Endpoint client, List<Endpoint> parts) implements PartOrder {}

    record Stop() implements PartOrder {}
}
