package dev.verbena.benchmarks.step;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import dev.verbena.benchmarks.Program;
import dev.verbena.benchmarks.report.Spread;
import dev.verbena.benchmarks.training.Transport;

/**
 * The processes of a server and its workers, and how long they take for a step.
 *
 * <p><b>Owner:</b> who makes it, and closes it. <b>Threading:</b> confined to its owner.
 */
final class StepRun implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("^listening (.*)");
    private static final Pattern STEP = Pattern.compile("^step (.*)");
    private static final Pattern DONE = Pattern.compile("^(done)$");
    private static final long HEAP = 400L << 20;
    /** Copies of the variables that are on the heap at a time: the message, and what it is made of. */
    private static final int MESSAGES = 3;

    private final StepCase measured;
    private final Transport transport;
    private final int steps;
    private final Map<String, Program> tasks = new LinkedHashMap<>();

    private StepRun(StepCase measured, Transport transport, int steps) {
        this.measured = measured;
        this.transport = transport;
        this.steps = steps;
    }

    /** The median step's milliseconds, as the server has it: from what it sends until all gradients are applied. */
    static double millis(StepCase measured, Transport transport, int steps) throws IOException {
        try (StepRun run = new StepRun(measured, transport, steps)) {
            run.start();
            return run.measure();
        }
    }

    private void start() throws IOException {
        StringBuilder cluster = new StringBuilder();
        for (String task : measured.tasks()) {
            tasks.put(task, Program.start(Map.of(), command(task)));
            cluster.append(task).append('=').append(tasks.get(task).await(LISTENING)).append(' ');
        }
        for (Program task : tasks.values()) {
            task.tell(cluster.toString());
        }
    }

    private List<String> command(String task) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-XX:+UseSerialGC",
                "-XX:-UsePerfData", "-Xmx" + heapByteSize(task), "-Dslf4j.internal.verbosity=ERROR", "-cp",
                System.getProperty("java.class.path"), StepTask.class.getName(), transport.name(),
                measured.model().title(), Integer.toString(measured.workers()), task, Integer.toString(steps));
    }

    /** A server has the messages of all its workers at a time. */
    private long heapByteSize(String task) {
        int ends = task.equals(StepGraph.SERVER) ? measured.workers() : 1;
        return transport == Transport.GRPC ? HEAP + MESSAGES * ends * measured.model().byteSize() : HEAP;
    }

    private double measure() throws IOException {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            millis.add(Long.parseLong(tasks.get(StepGraph.SERVER).await(STEP)) / 1e6);
        }
        for (Program task : tasks.values()) {
            task.await(DONE);
        }
        return Spread.median(millis);
    }

    @Override
    public void close() {
        tasks.values().forEach(Program::close);
    }
}
