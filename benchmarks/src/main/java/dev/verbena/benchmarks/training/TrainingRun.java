package dev.verbena.benchmarks.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.Program;

/**
 * One training by {@code ./verbena train}.
 *
 * @param examplesPerSecond images, or sequences, of all workers
 * @param losses of each iteration
 * @param copies tensors that senders copied, after the first iteration
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record TrainingRun(double examplesPerSecond, List<Double> losses, long copies) {
    /** Of a worker's mini-batch. */
    static final int BATCH = 32;

    /** @param text for models of text; null for none */
    static TrainingRun of(TrainingCase trained, Transport transport, Path text, boolean isQuick)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(Program.verbena("train", "--quiet",
                "--model=" + trained.model(), "--workers=" + trained.workers(), "--batch=" + BATCH,
                "--iterations=" + trained.iterations(isQuick), "--transport=" + transport.label));
        if (trained.model().equals("lstm")) {
            command.add("--data=" + text);
        }
        Path json = Files.createTempFile("verbena-training", ".json");
        command.add("--json=" + json);
        try (Program program = Program.start(Map.of(), command)) {
            program.succeed();
            return parse(Files.readString(json));
        } finally {
            Files.delete(json);
        }
    }

    /** Of its JSON. */
    static TrainingRun parse(String json) throws IOException {
        Map<String, Object> report = JSON.std.mapFrom(json);
        List<Double> losses = ((List<?>) report.get("lossCurve")).stream().map(loss -> ((Number) loss).doubleValue())
                .toList();
        return new TrainingRun(((Number) report.get("imagesPerSecond")).doubleValue(), losses,
                ((Number) ((Map<?, ?>) report.get("senderCopies")).get("later")).longValue());
    }

    /** When an iteration has ended, counted from 0, in seconds from the first one's begin. */
    double seconds(int iteration, int workers) {
        return (iteration + 1.) * BATCH * workers / examplesPerSecond;
    }
}
