package dev.verbena.onnxruntime;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import dev.verbena.graph.partition.Partitioner;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * One part of a model, over shared memory and over gRPC, each with a session and a thread of its own, of which at any time only one has something to
 * do. It says where it is, is told where the others are, and halts when its standard input ends.
 */
final class PartsProcess {
    private static final int LOOK_MS = 50;

    private PartsProcess() {}

    /** MODEL PARTS PART */
    public static void main(String[] arguments) throws Exception {
        int part = Integer.parseInt(arguments[2]);
        ModelPlan plan = ModelPlan.of(Path.of(arguments[0]), Map.of(),
                Partitioner.into(Integer.parseInt(arguments[1])));
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (RdmaDevice device = RdmaDevice
                .create(RdmaDeviceOptions.defaults().withFabric("shm").withName("part " + part));
                ModelWeights weights = ModelWeights.of(plan.model());
                PartRunner runner = PartRunner.open(plan, part, device, weights, PartOptions.defaults());
                GrpcEnd end = new GrpcEnd();
                GrpcPart byGrpc = new GrpcPart(plan, part, end, weights, PartOptions.defaults());
                PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                        StandardCharsets.UTF_8)) {
            output.println(device.endpoint() + " " + end.port());
            Map<Integer, Endpoint> endpoints = new HashMap<>();
            Map<Integer, Integer> ports = new HashMap<>();
            readPeers(orders.readLine(), endpoints, ports);
            runner.connect(endpoints);
            end.connect(ports);
            Thread.ofPlatform().daemon().name("orders").start(() -> haltAtEnd(orders));
            Thread.ofPlatform().daemon().name("gRPC").start(() -> inferByGrpc(byGrpc));
            output.println("connected");
            while (true) {
                runner.infer(Duration.ofMillis(LOOK_MS));
            }
        }
    }

    /** PART ENDPOINT PORT, again and again. */
    static void readPeers(String line, Map<Integer, Endpoint> endpoints, Map<Integer, Integer> ports) {
        String[] words = line.split(" ");
        for (int i = 0; i < words.length; i += 3) {
            endpoints.put(Integer.parseInt(words[i]), Endpoint.parse(words[i + 1]));
            ports.put(Integer.parseInt(words[i]), Integer.parseInt(words[i + 2]));
        }
    }

    private static void haltAtEnd(BufferedReader orders) {
        try {
            while (orders.readLine() != null) {
                // Nothing is ordered.
            }
        } catch (IOException _) {
            // As its end.
        }
        Runtime.getRuntime().halt(0);
    }

    private static void inferByGrpc(GrpcPart part) {
        try {
            while (true) {
                part.infer(LOOK_MS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
