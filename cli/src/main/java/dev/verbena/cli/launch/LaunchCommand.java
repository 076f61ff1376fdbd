package dev.verbena.cli.launch;

import static dev.verbena.cli.BadInputException.requireRange;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.ExitStatus;
import dev.verbena.cli.FreePort;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code verbena launch}: starts a command several times, tells each process its rank, passes on what they print, and ends all when one fails.
 *
 * <p><b>Owner:</b> the command line. <b>Threading:</b> confined to the thread that runs it.
 */
@Command(name = "launch", mixinStandardHelpOptions = true,
        description = "Start a command as N processes that know each other by RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.",
        footer = {
                "Each process also has LOCAL_RANK, LOCAL_WORLD_SIZE, and OMP_NUM_THREADS, its share of the processors, unless"
                        + " that is set. Lines that they print begin with their rank. When one fails, the others are ended, by SIGTERM"
                        + " and, after 5 s, SIGKILL; likewise all when this command is interrupted, or dies.",
                "",
                "  verbena launch -n 2 -- java -cp app.jar com.example.Train",
                "  verbena launch --hosts host1,host2 -n 2 -- java -cp app.jar com.example.Train"},
        exitCodeList = "other:That of the process that failed first; 128 and the signal's number if by a signal.")
public final class LaunchCommand implements Callable<Integer> {
    private static final int PROCESSES_MAX = 1024;
    private static final int NODES_MAX = 65_536;
    private static final int PORT_MAX = 65_535;
    private static final String LOOPBACK = "127.0.0.1";
    static final String THREADS = "OMP_NUM_THREADS";

    @Option(names = {"-n", "--processes"}, paramLabel = "N", required = true, description = "Processes on each host.")
    private int processes;
    @Option(names = "--nodes", paramLabel = "N", defaultValue = "1",
            description = "Hosts on which this is started, with as many processes each; default ${DEFAULT-VALUE}.")
    private int nodes;
    @Option(names = "--node-rank", paramLabel = "R", defaultValue = "0",
            description = "Which of them this is, from 0; default ${DEFAULT-VALUE}.")
    private int nodeRank;
    @Mixin
    private Hosts hosts = new Hosts();
    @Option(names = "--master-addr", paramLabel = "HOST",
            description = "Where rank 0 listens; default " + LOOPBACK
                    + " if there is one host, or the first of --hosts.")
    private String masterAddress;
    @Option(names = "--master-port", paramLabel = "PORT",
            description = "Default: one from 20000 to 31999, which is free if there is one host.")
    private Integer masterPort;
    @Mixin
    private PassedVariables passed = new PassedVariables();
    @Parameters(paramLabel = "COMMAND", arity = "1..*", description = "With its arguments.")
    private List<String> command;

    @Override
    public Integer call() throws InterruptedException {
        check();
        Map<String, String> given = passed.values();
        BlockingQueue<RankProcess> ended = new LinkedBlockingQueue<>();
        List<RankProcess> all = new ArrayList<>();
        Thread atExit = new Thread(() -> endAll(all));
        Runtime.getRuntime().addShutdownHook(atExit);
        String port = Integer.toString(masterPort == null ? port() : masterPort);
        for (int i = 0; i < processes * (hosts.areGiven() ? nodes() : 1); i++) {
            int rank = nodeRank * processes + i;
            RankPlace place = hosts.areGiven() ? hosts.place(rank / processes) : new RankPlace.Here();
            RankProcess process = RankProcess.start(rank, place, command, variables(rank, port, given), ended);
            synchronized (all) {
                all.add(process);
            }
        }
        return awaitAll(all.size(), ended, all);
    }

    private void check() {
        requireRange("-n", processes, 1, PROCESSES_MAX);
        requireRange("--nodes", nodes, 1, NODES_MAX);
        requireRange("--node-rank", nodeRank, 0, nodes - 1);
        if (hosts.areGiven() && nodes > 1) {
            throw new BadInputException("--nodes with --hosts, which are as many as they are");
        }
        hosts.check(masterAddress != null);
        if (masterPort != null) {
            requireRange("--master-port", masterPort, 1, PORT_MAX);
        }
        if (nodes > 1 && (masterAddress == null || masterPort == null)) {
            throw new BadInputException("--nodes=" + nodes
                    + " without --master-addr and --master-port, which all hosts must be given alike");
        }
    }

    private int nodes() {
        return hosts.areGiven() ? hosts.count() : nodes;
    }

    private String masterAddress() {
        if (masterAddress != null) {
            return masterAddress;
        }
        return hosts.areGiven() ? hosts.firstAddress() : LOOPBACK;
    }

    private Map<String, String> variables(int rank, String port, Map<String, String> given) {
        Map<String, String> variables = new TreeMap<>(given);
        variables.put("RANK", Integer.toString(rank));
        variables.put("LOCAL_RANK", Integer.toString(rank % processes));
        variables.put("WORLD_SIZE", Integer.toString(nodes() * processes));
        variables.put("LOCAL_WORLD_SIZE", Integer.toString(processes));
        variables.put("MASTER_ADDR", masterAddress());
        variables.put("MASTER_PORT", port);
        String threads = given.getOrDefault(THREADS, System.getenv().getOrDefault(THREADS, shareOfThreads()));
        if (!threads.isEmpty()) {
            variables.put(THREADS, threads);
        }
        return variables;
    }

    /**
     * Threads of several processes that spin for the same processors would stand in each other's way. Empty where only the host knows how many it
     * has.
     */
    private String shareOfThreads() {
        return hosts.areGiven() ? ""
                : Integer.toString(Math.max(1, Runtime.getRuntime().availableProcessors() / processes));
    }

    private int port() {
        return hosts.areGiven() ? FreePort.onSomeHost() : FreePort.onLoopback();
    }

    /** The first failure decides. */
    private static int awaitAll(int count, BlockingQueue<RankProcess> ended, List<RankProcess> all)
            throws InterruptedException {
        int status = ExitStatus.SUCCESS;
        for (int left = count; left > 0; left--) {
            RankProcess process = ended.take();
            if (process.status() != ExitStatus.SUCCESS && status == ExitStatus.SUCCESS) {
                status = process.status();
                System.err.println("verbena: " + process.describeEnd() + (left > 1 ? "; the others are ended" : ""));
                all.forEach(RankProcess::end);
            }
        }
        return status;
    }

    /** Also when this process is told to end: then nobody is left when it has. */
    private static void endAll(List<RankProcess> all) {
        List<RankProcess> started;
        synchronized (all) {
            started = List.copyOf(all);
        }
        started.forEach(RankProcess::end);
        started.forEach(RankProcess::awaitEnd);
    }
}
