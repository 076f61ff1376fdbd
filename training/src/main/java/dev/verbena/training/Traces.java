package dev.verbena.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.graph.run.SessionOptions;
import dev.verbena.trace.Tracer;
import dev.verbena.trace.TracerOptions;

/**
 * What the tracers of a training's tasks have learned, kept between starts: {@code server-0.0123456789abcdef.trace} is that of one task of
 * one transfer plan, so that trainings of other models, or in other clusters, may share the directory and never begin with each other's.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Traces(Path directory, String fingerprint) {
    static Traces of(TrainingOptions options, TrainingGraph graph) {
        return new Traces(options.traces(), options.traces() == null
                ? ""
                : TransferPlan.of(graph.graph(), SessionOptions.defaults().depth()).fingerprint());
    }

    /** Of a task; null if none is kept. */
    Path file(String task) {
        return directory == null ? null : directory.resolve(task.replace(':', '-') + "." + fingerprint + ".trace");
    }

    /** Whether there is one of the task. @throws TrainingException if there is, and it is damaged */
    boolean isThere(String task) {
        Path file = file(task);
        if (file == null || !Files.exists(file)) {
            return false;
        }
        try {
            Tracer.load(file, TracerOptions.defaults());
            return true;
        } catch (IOException e) {
            throw new TrainingException("the saved trace cannot be used: " + e.getMessage()
                    + "; remove it, and what it had is learned again", e);
        }
    }
}
