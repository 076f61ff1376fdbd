package dev.verbena.onnxruntime;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import dev.verbena.graph.partition.Partitioner;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * benchmarks/run onnxruntime MODEL.onnx [PARTS [ROUNDS]]: a model in parts over shared memory, the same parts over gRPC, and one session, in turn;
 * ratios of a round's figures, and the medians of all rounds.
 */
final class PartsBenchmark implements AutoCloseable {
    private static final int PARTS = 2;
    private static final int ROUNDS = 5;
    /** Of each way and round: one by one, and again as many with two under way. */
    private static final int INFERENCES = 10;
    private static final int DEPTH = 2;
    /** Of each way before the first round: JVMs that have sent little yet are slow at it, gRPC's most. */
    private static final int WARM_UP = 200;
    private static final long PATIENCE_MS = 60_000;

    /** How a model is run. */
    enum Way {
        SESSION("one session"), VERBENA("parts, shm"), GRPC("parts, gRPC");

        private final String title;

        Way(String title) {
            this.title = title;
        }
    }

    /** Of one way in one round. */
    record Figures(double latencyUs, double perSecond) {}

    private final ModelPlan plan;
    private final List<Process> processes = new ArrayList<>();
    private final RdmaDevice device;
    private final PartClient client;
    private final GrpcEnd end;
    private final WholeModel whole;
    private final Map<String, Tensor> inputs = new LinkedHashMap<>();
    private final List<Map<Way, Figures>> rounds = new ArrayList<>();
    private long sent;
    private long received;

    PartsBenchmark(Path file, int partCount) throws IOException, InterruptedException {
        plan = ModelPlan.of(file, Map.of(), Partitioner.into(partCount));
        plan.tensors().forEach(GrpcPart::byteSize);
        device = RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("shm").withName("client"));
        client = PartClient.open(plan, device, PartOptions.defaults().withDepth(DEPTH));
        end = new GrpcEnd();
        whole = WholeModel.open(file, plan, PartOptions.defaults());
        try {
            connect(file, partCount);
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
        Random random = new Random(1);
        for (CrossingTensor input : plan.outputs(ModelPlan.CLIENT)) {
            Tensor tensor = client.arena().allocate(input.type(), input.shape().orElseThrow());
            inputs.put(input.name(), tensor);
            for (long i = 0; i < tensor.byteSize() / Float.BYTES; i++) {
                tensor.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
            }
        }
    }

    private void connect(Path file, int partCount) throws IOException, InterruptedException {
        List<BufferedReader> lines = new ArrayList<>();
        StringBuilder peers = new StringBuilder(ModelPlan.CLIENT + " " + device.endpoint() + " " + end.port());
        for (int i = 0; i < partCount; i++) {
            Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp",
                    System.getProperty("java.class.path"), PartsProcess.class.getName(), file.toString(),
                    "" + partCount, "" + i).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            processes.add(process);
            lines.add(new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }
        for (int i = 0; i < partCount; i++) {
            peers.append(" ").append(i).append(" ").append(line(lines.get(i)));
        }
        for (Process process : processes) {
            process.getOutputStream().write((peers + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }
        Map<Integer, Endpoint> endpoints = new HashMap<>();
        Map<Integer, Integer> ports = new HashMap<>();
        PartsProcess.readPeers(peers.toString(), endpoints, ports);
        client.connect(endpoints);
        end.connect(ports);
        for (BufferedReader each : lines) {
            line(each);
        }
    }

    private static String line(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        if (line == null) {
            throw new IllegalStateException("a part has ended; what it said is above");
        }
        return line;
    }

    private void send(Way way) {
        if (way == Way.VERBENA) {
            client.send(inputs);
        } else {
            plan.outputs(ModelPlan.CLIENT).forEach(
                    each -> end.give(each, sent, inputs.get(each.name()).memory().asByteBuffer()));
            sent++;
        }
    }

    /** The outputs' bytes, on the heap as {@link WholeModel} has them. */
    private Map<String, byte[]> receive(Way way) throws InterruptedException {
        Map<String, byte[]> outputs = new HashMap<>();
        if (way == Way.VERBENA) {
            client.receive().forEach((name, tensor) -> {
                outputs.put(name, tensor.memory().toArray(ValueLayout.JAVA_BYTE));
                tensor.close();
            });
        } else {
            List<CrossingTensor> expected = plan.inputs(ModelPlan.CLIENT);
            Map<Integer, ByteBuffer> arrived = end.take(received, expected.size(), PATIENCE_MS);
            if (arrived == null) {
                throw new IllegalStateException("no outputs by gRPC after " + PATIENCE_MS + " ms");
            }
            received++;
            expected.forEach(each -> outputs.put(each.name(), MemorySegment.ofBuffer(arrived.get(each.index()))
                    .toArray(ValueLayout.JAVA_BYTE)));
        }
        return outputs;
    }

    private Map<String, byte[]> infer(Way way) throws InterruptedException {
        if (way == Way.SESSION) {
            return whole.infer(inputs);
        }
        send(way);
        return receive(way);
    }

    /** @throws IllegalStateException if parts do not compute the same by both ways, or what one session does */
    void verify() throws InterruptedException {
        Map<String, byte[]> expected = infer(Way.SESSION);
        for (Way way : List.of(Way.VERBENA, Way.GRPC)) {
            infer(way).forEach((name, bytes) -> {
                if (!Arrays.equals(bytes, expected.get(name))) {
                    throw new IllegalStateException("output '" + name + "' of " + way.title + " is another");
                }
            });
        }
    }

    /** So many inferences of each way that crosses processes. */
    void warmUp(int inferences) throws InterruptedException {
        for (int i = 0; i < inferences; i++) {
            infer(Way.VERBENA);
            infer(Way.GRPC);
        }
    }

    /** Each way once, the first of them another in each round. */
    void round(int inferences) throws InterruptedException {
        Map<Way, Figures> figures = new EnumMap<>(Way.class);
        for (int i = 0; i < Way.values().length; i++) {
            Way way = Way.values()[(i + rounds.size()) % Way.values().length];
            infer(way);
            double[] latencyUs = new double[inferences];
            for (int k = 0; k < inferences; k++) {
                long startNs = System.nanoTime();
                infer(way);
                latencyUs[k] = (System.nanoTime() - startNs) / 1e3;
            }
            long startNs = System.nanoTime();
            Deque<Way> underWay = new ArrayDeque<>();
            for (int k = 0; k < inferences; k++) {
                if (way == Way.SESSION) {
                    infer(way);
                    continue;
                }
                while (underWay.size() < Math.min(DEPTH, inferences - k)) {
                    send(way);
                    underWay.add(way);
                }
                receive(underWay.remove());
            }
            figures.put(way, new Figures(median(latencyUs), inferences * 1e9 / (System.nanoTime() - startNs)));
        }
        rounds.add(figures);
    }

    private static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** A line for each way. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "%-14s %12s %12s %12s %14s %12s %12s", "", "latency[us]", "/ session",
                "/ gRPC", "inferences/s", "/ session", "/ gRPC"));
        for (Way way : Way.values()) {
            lines.add(String.format(Locale.ROOT, "%-14s %12.1f %12.3f %12.3f %14.2f %12.3f %12.3f", way.title,
                    median(of(way).mapToDouble(Figures::latencyUs).toArray()),
                    ratio(way, Way.SESSION, true), ratio(way, Way.GRPC, true),
                    median(of(way).mapToDouble(Figures::perSecond).toArray()), ratio(way, Way.SESSION, false),
                    ratio(way, Way.GRPC, false)));
        }
        return lines;
    }

    private Stream<Figures> of(Way way) {
        return rounds.stream().map(each -> each.get(way));
    }

    private double ratio(Way way, Way other, boolean isLatency) {
        return median(rounds.stream().mapToDouble(each -> isLatency
                ? each.get(way).latencyUs() / each.get(other).latencyUs()
                : each.get(way).perSecond() / each.get(other).perSecond()).toArray());
    }

    @Override
    public void close() {
        inputs.values().forEach(Tensor::close);
        whole.close();
        end.close();
        processes.forEach(Process::destroyForcibly);
        client.close();
        device.close();
    }

    public static void main(String[] arguments) throws Exception {
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            if (arguments.length < 1 || arguments.length > 3 || !Files.isRegularFile(Path.of(arguments[0]))
                    || !Arrays.stream(arguments).skip(1).allMatch(each -> each.matches("[1-9][0-9]?"))) {
                output.println("benchmarks: onnxruntime takes a model, a number of parts, and one of rounds");
                System.exit(2);
            }
            Path file = Path.of(arguments[0]).toAbsolutePath();
            int partCount = arguments.length > 1 ? Integer.parseInt(arguments[1]) : PARTS;
            int roundCount = arguments.length > 2 ? Integer.parseInt(arguments[2]) : ROUNDS;
            try (PartsBenchmark benchmark = new PartsBenchmark(file, partCount)) {
                benchmark.verify();
                benchmark.warmUp(WARM_UP);
                for (int i = 0; i < roundCount; i++) {
                    benchmark.round(INFERENCES);
                }
                long byteSize = benchmark.plan.tensors().stream()
                        .mapToLong(each -> (long) GrpcPart.byteSize(each) * each.consumers().size()).sum();
                output.printf(Locale.ROOT, "%s in %d parts, %,d bytes sent in each inference; %d rounds in turn%n",
                        file.getFileName(), partCount, byteSize, roundCount);
                benchmark.table().forEach(output::println);
            }
        }
    }
}
