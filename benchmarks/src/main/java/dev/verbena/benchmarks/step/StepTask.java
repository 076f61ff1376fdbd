package dev.verbena.benchmarks.step;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.benchmarks.training.Transport;
import dev.verbena.cli.grpc.GrpcCarrier;
import dev.verbena.graph.run.Kernels;
import dev.verbena.graph.run.Session;
import dev.verbena.graph.run.SessionOptions;
import dev.verbena.graph.run.Sessions;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * The server or a worker in a process of its own: TRANSPORT MODEL WORKERS TASK STEPS. It says where it listens, and is told where all do:
 *
 * <pre>
 *   listening HOST:PORT
 *                              TASK=HOST:PORT TASK=HOST:PORT ...
 *   step NANOSECONDS           each, of a server
 *   done
 * </pre>
 *
 * It stays until its standard input ends, for those that are not done.
 *
 * <p><b>Owner:</b> {@link StepRun}. <b>Threading:</b> its main thread.
 */
final class StepTask {
    /** In the first, senders copy and learn; in the second, memory that is new is touched. */
    static final int WARM_UP = 3;
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final Transport transport;
    private final StepGraph graph;
    private final String task;
    private final int steps;
    private final PrintStream output;

    private StepTask(String[] arguments, PrintStream output) {
        transport = Transport.valueOf(arguments[0]);
        graph = StepGraph.of(StepModel.named(arguments[1]), Integer.parseInt(arguments[2]));
        task = arguments[3];
        steps = Integer.parseInt(arguments[4]);
        this.output = output;
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            new StepTask(arguments, output).run(orders);
        }
    }

    private void run(BufferedReader orders) throws IOException {
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withName(task).withFabric("shm")
                .withLocalEndpoint(new Endpoint("127.0.0.1", 0));
        try (RdmaDevice device = RdmaDevice.create(options);
                GrpcCarrier carrier = transport == Transport.GRPC ? new GrpcCarrier(device, TIMEOUT) : null) {
            output.println("listening " + device.endpoint());
            Map<String, Endpoint> cluster = new HashMap<>();
            for (String member : orders.readLine().split(" ")) {
                String[] words = member.split("=");
                cluster.put(words[0], Endpoint.parse(words[1]));
            }
            SessionOptions session = new SessionOptions(transport != Transport.COPY, 1, TIMEOUT)
                    .withAllocatingThreads(1)
                    .withCarrier(carrier)
                    .withKernels(Kernels.standard().with("LocalComputation", _ -> new LocalComputation.Counting()));
            try (Session opened = Sessions.distributed(graph.graph(), task, cluster, device, session)) {
                step(opened);
                output.println("done");
                orders.readLine();
            }
        }
    }

    private void step(Session session) {
        for (int i = 0; i < WARM_UP + steps; i++) {
            long beginNs = System.nanoTime();
            session.run(Map.of(), List.of(), graph.steps());
            if (i >= WARM_UP && task.equals(StepGraph.SERVER)) {
                output.println("step " + (System.nanoTime() - beginNs));
            }
        }
    }
}
