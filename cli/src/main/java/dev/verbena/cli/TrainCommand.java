package dev.verbena.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.training.CheckpointException;
import dev.verbena.training.Training;
import dev.verbena.training.TrainingData;
import dev.verbena.training.TrainingException;
import dev.verbena.training.TrainingListener;
import dev.verbena.training.TrainingOptions;
import dev.verbena.training.Validation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena train}: everything is checked first, then trained, then reported. */
@Command(name = "train", mixinStandardHelpOptions = true,
        description = "Train a network on this machine, with parameter servers and workers as processes of their own.")
final class TrainCommand implements Callable<Integer> {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int PORT_MAX = 65_535;

    @Mixin
    private TrainingArguments training;
    @Mixin
    private NetworkArguments network;
    @Option(names = "--local",
            description = "Train in this one process, without any transfer; with --workers N on their joined mini-batches.")
    private boolean isLocal;
    @Mixin
    private JsonOutput json;
    @Option(names = "--report", paramLabel = "FILE",
            description = "Draw loss, time and graph of the run there, as a page that opens in any browser.")
    private Path page;
    @Option(names = "--port", paramLabel = "N", defaultValue = "0",
            description = "Task i listens on port N+i; default: free ones.")
    private int port;
    @Option(names = "--quiet", description = "Print nothing but errors.")
    private boolean isQuiet;
    @Option(names = "--progress",
            description = "Print progress also where standard error is no terminal, line by line.")
    private boolean showProgress;

    @Override
    public Integer call() {
        json.check();
        ReportFile pageFile = page == null ? null : ReportFile.check("--report", page);
        if (isLocal && training.traces != null) {
            throw new BadInputException("--trace with --local: nothing is sent in one process, so nothing is learned; "
                    + "leave one of the two out");
        }
        TrainingData dataset = training.load();
        TrainingOptions options = isLocal ? training.localOptions(dataset) : training.options(dataset);
        TrainingReport report = isLocal ? local(options, dataset) : distributed(options, dataset);
        json.write(report.toMap());
        if (pageFile != null) {
            Graph graph = Training.graph(options, dataset, isLocal);
            pageFile.write(TrainingPage.of(report, graph, plan(graph, options, report.fabric())));
        }
        if (!isQuiet) {
            json.text().print(report.toTable());
        }
        return ExitStatus.SUCCESS;
    }

    private TrainingReport local(TrainingOptions options, TrainingData dataset) {
        int perEpoch = Training.iterationsPerEpoch(options, dataset);
        ProgressLine progress = ProgressLine.of(style(), options.iterations(), perEpoch);
        TrainingListener listener = new TrainingListener() {
            @Override
            public void onIteration(int iteration, double loss, double rate) {
                progress.update("local", new TaskMessage.Progress(iteration, loss, rate));
            }

            @Override
            public void onValidation(Validation measured) {
                progress.validated(measured);
            }
        };
        TaskReport report;
        try {
            report = TaskReport.of(Training.local(options, dataset, listener));
        } catch (TrainingException | CheckpointException e) {
            throw new FailedRunException(Complaint.of(e));
        } finally {
            progress.clear();
        }
        return new TrainingReport("local", training.transport, options, perEpoch, 0, List.of(report));
    }

    private TrainingReport distributed(TrainingOptions options, TrainingData dataset) {
        List<String> tasks = Training.tasks(options);
        if (port < 0 || port > PORT_MAX || port > 0 && port + tasks.size() - 1 > PORT_MAX) {
            throw new BadInputException("--port=" + port + " does not leave a port for each of " + tasks.size()
                    + " tasks; give 0 or " + (PORT_MAX - tasks.size() + 1) + " at most");
        }
        String fabric = training.fabric.select(network.options());
        TransferPlan plan = plan(Training.graph(options, dataset, false), options, fabric);
        long planned = Training.plannedByteSize(plan, options);
        if (fabric.equals(SharedMemory.FABRIC)) {
            SharedMemory.require(
                    SharedMemory.neededByteSize(planned + plan.lendingByteSize(), options.servers(), options.workers(),
                            network.options().queueDepth()));
        }
        checkTraces(options, dataset);
        int perEpoch = Training.iterationsPerEpoch(options, dataset);
        ProgressLine progress = ProgressLine.of(style(), options.iterations(), perEpoch);
        return new TrainingReport(fabric, training.transport, options, perEpoch, planned,
                new Launcher(progress, notices(progress)).run(commands(tasks, options, dataset)));
    }

    private TransferPlan plan(Graph graph, TrainingOptions options, String fabric) {
        return Training.plan(graph, options, training.carriesByGrpc(), fabric.equals(SharedMemory.FABRIC));
    }

    private static void checkTraces(TrainingOptions options, TrainingData dataset) {
        try {
            Training.traced(options, dataset);
        } catch (TrainingException e) {
            throw new BadInputException(e.getMessage());
        }
    }

    private WaitNotices notices(ProgressLine progress) {
        return new WaitNotices(Timer.ofMachine(), isQuiet ? _ -> {} : progress::above);
    }

    private ProgressLine.Style style() {
        return ProgressLine.style(isQuiet, showProgress);
    }

    private Map<String, List<String>> commands(List<String> tasks, TrainingOptions options, TrainingData dataset) {
        Map<String, List<String>> commands = new LinkedHashMap<>();
        for (String task : tasks) {
            int taskPort = port == 0 ? 0 : port + commands.size();
            List<String> arguments = new ArrayList<>(
                    List.of("task", "--task=" + task, "--listen=" + LOOPBACK + ":" + taskPort));
            if (isQuiet) {
                arguments.add("--quiet");
            }
            arguments.addAll(training.toCommandLine(options, Training.isServer(task) ? dataset.facts() : null));
            arguments.addAll(network.toCommandLine());
            commands.put(task,
                    training.carriesByGrpc() ? JavaCommand.withGrpc(arguments) : JavaCommand.of(arguments));
        }
        return commands;
    }
}
