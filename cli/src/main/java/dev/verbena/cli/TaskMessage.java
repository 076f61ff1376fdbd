package dev.verbena.cli;

import dev.verbena.training.Validation;
import dev.verbena.transfer.Endpoint;

/** What a task tells its launcher, as {@link RecordLines}. */
sealed interface TaskMessage {
    /** Its device is up and listens there; now it waits for the addresses of all. */
    record Listening(Endpoint endpoint) implements TaskMessage {}

    /** A worker has done so many iterations; not said of each one. */
    record Progress(int iteration, double loss, double imagesPerSecond) implements TaskMessage {}

    /** The worker that measures has measured what is held out. */
    record Validated(Validation measured) implements TaskMessage {}

    /** It has done all its iterations and keeps its device open until all have. */
    record Finished(TaskReport report) implements TaskMessage {}

    /** It gives up. Bad input is what the user can put right before a start, such as a port in use. */
    record Failed(boolean badInput, String sentence) implements TaskMessage {}
}
