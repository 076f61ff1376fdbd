package dev.verbena.cli;

import java.util.List;
import java.util.Map;

import dev.verbena.training.TrainingOptions;
import dev.verbena.training.Validation;
import dev.verbena.transfer.Endpoint;

/** The link of a task that was started by hand with the addresses of all: messages for people. */
final class ConsoleLink implements TaskLink {
    private final String task;
    private final Map<String, Endpoint> cluster;
    private final TrainingOptions options;
    private final int iterationsPerEpoch;
    private final ProgressLine progress;
    private final String fabric;
    private final String transport;
    private final JsonOutput json;

    ConsoleLink(String task, Map<String, Endpoint> cluster, TrainingOptions options, int iterationsPerEpoch,
            ProgressLine.Style style, String fabric, String transport, JsonOutput json) {
        this.fabric = fabric;
        this.transport = transport;
        this.json = json;
        this.task = task;
        this.cluster = cluster;
        this.options = options;
        this.iterationsPerEpoch = iterationsPerEpoch;
        this.progress = ProgressLine.of(style, options.iterations(), iterationsPerEpoch);
    }

    @Override
    public synchronized void tell(TaskMessage message) {
        switch (message) {
            case TaskMessage.Listening(Endpoint endpoint) -> json.notices().println(task + " listens on " + endpoint);
            case TaskMessage.Progress latest -> progress.update(task, latest);
            case TaskMessage.Validated(Validation measured) -> progress.validated(measured);
            case TaskMessage.Finished(TaskReport report) -> {
                progress.clear();
                TrainingReport own = new TrainingReport(fabric, transport, options, iterationsPerEpoch,
                        report.result().session().plannedByteSize(), List.of(report));
                json.write(own.toMap());
                json.text().print(own.toTable());
            }
            case TaskMessage.Failed failed -> {
                progress.clear();
                Complaint.print(task + ": " + failed.sentence());
            }
        }
    }

    @Override
    public void say(String line) {
        progress.above(line);
    }

    @Override
    public Map<String, Endpoint> awaitCluster() {
        return cluster;
    }
}
