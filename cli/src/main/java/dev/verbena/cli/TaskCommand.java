package dev.verbena.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.verbena.training.Training;
import dev.verbena.training.TrainingData;
import dev.verbena.training.TrainingOptions;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDeviceOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena task}: one task of a training cluster; started by {@code train}, or by hand on several hosts. */
@Command(name = "task", mixinStandardHelpOptions = true,
        description = "Run one task of a training cluster, for clusters over several hosts.",
        footer = {
                "Start every task with the same options and the same --cluster, which lists all tasks, servers first:",
                "  verbena task --task server:0 --listen 10.0.0.1:7000 --workers 1"
                        + " --cluster server:0=10.0.0.1:7000,worker:0=10.0.0.2:7000",
                "Without --cluster a launcher is expected on standard input and output."})
final class TaskCommand implements Callable<Integer> {
    @Option(names = "--task", required = true, paramLabel = "NAME", description = "server:N or worker:N.")
    private String task;
    @Option(names = "--listen", paramLabel = "HOST:PORT", defaultValue = "127.0.0.1:0",
            description = "Where to listen; port 0 takes a free one. Default ${DEFAULT-VALUE}.")
    private String listen;
    @Option(names = "--cluster", paramLabel = "TASK=HOST:PORT", split = ",",
            description = "All tasks and where they listen.")
    private Map<String, String> cluster;
    @Mixin
    private JsonOutput json;
    @Option(names = "--progress",
            description = "Print progress also where standard error is no terminal, line by line.")
    private boolean showProgress;
    @Option(names = "--quiet", description = "Print neither progress nor what is waited for.")
    private boolean isQuiet;
    @Option(names = "--data-facts", paramLabel = "FACTS",
            description = "For a server, in place of --data: what it must know of the data, such as"
                    + " 1x28x28,classes=10,train=5000,test=1000 or text,classes=65,train=900,test=100.")
    private String dataFacts;
    @Mixin
    private TrainingArguments training;
    @Mixin
    private NetworkArguments network;

    @Override
    public Integer call() {
        if (cluster != null) {
            return byHand();
        }
        if (json.isGiven()) {
            throw new BadInputException("--json needs --cluster: the launcher writes the figures of its tasks itself");
        }
        LauncherLink link = new LauncherLink();
        Task running = task(link);
        link.listen(running::giveUp);
        try {
            TrainingData dataset = data();
            return run(running, training.options(dataset), dataset);
        } catch (BadInputException e) {
            link.tell(new TaskMessage.Failed(true, e.getMessage()));
            return ExitStatus.BAD_INPUT;
        }
    }

    private int byHand() {
        json.check();
        String fabric = training.fabric.select(network.options());
        TrainingData dataset = data();
        TrainingOptions options = training.options(dataset);
        Map<String, Endpoint> endpoints = endpoints(options);
        int perEpoch = Training.iterationsPerEpoch(options, dataset);
        TaskLink link = new ConsoleLink(task, endpoints, options, perEpoch, ProgressLine.style(isQuiet, showProgress),
                fabric, training.transport, json);
        return run(task(link), options, dataset);
    }

    /** A server keeps nothing of it but the facts. */
    private TrainingData data() {
        if (dataFacts == null) {
            TrainingData loaded = training.load();
            return Training.isServer(task) ? loaded.facts() : loaded;
        }
        if (!Training.isServer(task)) {
            throw new BadInputException(
                    "--data-facts with --task=" + task + ", which learns from the data; give it --data");
        }
        return training.facts(dataFacts);
    }

    private Task task(TaskLink link) {
        Timer timer = Timer.ofMachine();
        return new Task(task, link, timer, new WaitNotices(timer, isQuiet ? _ -> {} : link::say));
    }

    private int run(Task running, TrainingOptions options, TrainingData dataset) {
        if (!Training.tasks(options).contains(task)) {
            throw new BadInputException(
                    "--task=" + task + " is none of this cluster's " + Training.tasks(options));
        }
        running.run(RdmaDeviceOptions.defaults(network.options()).withName(task).withFabric(training.fabric.name())
                .withProgress(training.progress.check())
                .withLocalEndpoint(endpoint("--listen", listen)), options, training.carriesByGrpc(), dataset);
        return ExitStatus.SUCCESS;
    }

    private Map<String, Endpoint> endpoints(TrainingOptions options) {
        Map<String, Endpoint> endpoints = new LinkedHashMap<>();
        for (String name : Training.tasks(options)) {
            if (!cluster.containsKey(name)) {
                throw new BadInputException("--cluster lacks " + name + "; it lists every one of "
                        + Training.tasks(options) + " as TASK=HOST:PORT");
            }
            endpoints.put(name, endpoint("--cluster", cluster.get(name)));
        }
        return endpoints;
    }

    private static Endpoint endpoint(String option, String text) {
        try {
            return Endpoint.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BadInputException(option + ": " + e.getMessage());
        }
    }
}
