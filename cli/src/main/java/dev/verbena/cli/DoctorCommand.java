package dev.verbena.cli;

import java.util.concurrent.Callable;

import dev.verbena.cli.doctor.Diagnosis;
import dev.verbena.graph.Graph;
import dev.verbena.training.Dataset;
import dev.verbena.training.Training;
import dev.verbena.training.TrainingDefaults;
import dev.verbena.training.TrainingOptions;
import dev.verbena.transfer.NetworkOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena doctor}: what stands in the way of tensors here, and what to do about it. */
@Command(name = "doctor", mixinStandardHelpOptions = true,
        description = "Look for what keeps tensors from travelling on this machine, and say what to do about it.",
        footer = {
                "A warning is something that works less well or need not work; a problem, what is meant to work and does not."},
        exitCodeList = {"0:At least one fabric can be used.", "1:Every fabric is stopped by some finding."})
final class DoctorCommand implements Callable<Integer> {
    @Mixin
    private JsonOutput json;
    @Option(names = "--registers", paramLabel = "BYTES",
            description = "What your run registers; default: what 'verbena train' does.")
    private Long registeredByteSize;
    @Option(names = "--color", paramLabel = "WHEN", defaultValue = "auto",
            description = "Colour the findings: auto, which is on a terminal and without NO_COLOR, always, or never."
                    + " Default ${DEFAULT-VALUE}.")
    private ColorChoice color;
    @Mixin
    private NetworkArguments network;

    @Override
    public Integer call() {
        if (registeredByteSize != null && registeredByteSize <= 0) {
            throw new BadInputException("--registers=" + registeredByteSize + "; give 1 byte or more");
        }
        json.check();
        NetworkOptions options = network.options();
        Diagnosis diagnosis = diagnose(options,
                registeredByteSize == null ? ofDefaultTraining(options) : registeredByteSize);
        json.write(diagnosis.toMap());
        json.text().print(diagnosis.toText(color.ansi()));
        return diagnosis.isUsable() ? ExitStatus.SUCCESS : ExitStatus.FAILED;
    }

    private static Diagnosis diagnose(NetworkOptions network, long registered) {
        try (WaitNotices.Notice _ = WaitNotices.onStandardError().beginAskingDevices()) {
            return Diagnosis.ofThisMachine(network, registered);
        }
    }

    private static long ofDefaultTraining(NetworkOptions network) {
        TrainingOptions options = new TrainingOptions(TrainingDefaults.MODEL, TrainingDefaults.WORKERS,
                TrainingDefaults.SERVERS, 1, TrainingDefaults.BATCH, TrainingDefaults.SEED,
                TrainingDefaults.learningRate(TrainingDefaults.MODEL,
                        TrainingDefaults.optimizer(TrainingDefaults.MODEL)),
                false);
        Graph graph = Training.graph(options, Dataset.synthetic(TrainingDefaults.SEED), false);
        return SharedMemory.neededByteSize(
                Training.plannedByteSize(Training.plan(graph, options, false, false), options), options.servers(),
                options.workers(), network.queueDepth());
    }
}
