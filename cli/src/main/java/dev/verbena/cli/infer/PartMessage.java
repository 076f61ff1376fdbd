package dev.verbena.cli.infer;

import dev.verbena.onnxruntime.PartStatistics;
import dev.verbena.transfer.Endpoint;

/** What a part of a model tells the process that started it, in this order, as {@link dev.verbena.cli.RecordLines}. */
sealed interface PartMessage {
    /** Its device is up and listens there; now it waits for the addresses of all. */
    record Listening(Endpoint endpoint) implements PartMessage {}

    record Connected() implements PartMessage {}

    /** It was told to. @param stagingCopies of its device */
    record Stopped(int part, long pid, PartStatistics statistics, long stagingCopies) implements PartMessage {}
}
