package dev.verbena.djl;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.verbena.cli.FreePort;

/**
 * Images per second of a training in DJL: one process, two over shared memory, two by gRPC, by turns; medians over the rounds, and the medians of
 * each round's ratios. Each process computes with one thread.
 */
final class DjlBenchmark {
    private static final int BATCH = 64;
    private static final int WARM_UP_STEPS = 20;
    private static final int STEPS = 100;
    private static final int ROUNDS = 5;
    private static final double LOSS_TOLERANCE = 1e-3;

    private DjlBenchmark() {}

    /** [ROUNDS] */
    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : ROUNDS;
        double[][] figures = new double[3][rounds];
        for (int round = 0; round < rounds; round++) {
            double[] alone = run("verbena", 1);
            double[] shared = run("verbena", 2);
            double[] grpc = run("grpc", 2);
            if (Math.abs(shared[1] - grpc[1]) > LOSS_TOLERANCE) {
                throw new IllegalStateException("loss " + shared[1] + " over shared memory, " + grpc[1] + " by gRPC");
            }
            figures[0][round] = alone[0];
            figures[1][round] = shared[0];
            figures[2][round] = grpc[0];
        }
        PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        output.printf("%-40s %12s %12s%n", "MLP 784-1024-1024-10, batch " + BATCH + ", " + rounds + " rounds",
                "images/s", "to one");
        String[] names = {"one process", "two, verbena over shm", "two, gRPC"};
        for (int i = 0; i < names.length; i++) {
            output.printf("%-40s %12.0f %12.2f%n", names[i], median(figures[i]), ratio(figures[i], figures[0]));
        }
        output.printf("%-40s %12s %12.2f%n", "verbena to gRPC", "", ratio(figures[1], figures[2]));
    }

    private static double ratio(double[] figures, double[] others) {
        double[] ratios = new double[figures.length];
        Arrays.setAll(ratios, i -> figures[i] / others[i]);
        return median(ratios);
    }

    private static double median(double[] figures) {
        double[] sorted = figures.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Images per second and the last loss. */
    private static double[] run(String kind, int size) throws IOException, InterruptedException {
        int port = FreePort.onLoopback();
        List<Process> processes = new ArrayList<>();
        try {
            for (int rank = 0; rank < size; rank++) {
                processes.add(start(kind, rank, size, port));
            }
            String[] words = new String(processes.getFirst().getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .strip().split(" ");
            for (Process process : processes) {
                if (process.waitFor() != 0) {
                    throw new IllegalStateException("a process of " + kind + " failed");
                }
            }
            return new double[]{Double.parseDouble(words[0]), Double.parseDouble(words[1])};
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private static Process start(String kind, int rank, int size, int port) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData",
                "-Dslf4j.internal.verbosity=ERROR", "-cp", System.getProperty("java.class.path"),
                TrainingMember.class.getName(), kind, Integer.toString(BATCH), Integer.toString(WARM_UP_STEPS),
                Integer.toString(STEPS)).redirectError(ProcessBuilder.Redirect.INHERIT);
        Map<String, String> group = new TreeMap<>(Map.of("RANK", Integer.toString(rank), "WORLD_SIZE",
                Integer.toString(size), "MASTER_ADDR", "127.0.0.1", "MASTER_PORT", Integer.toString(port),
                "OMP_NUM_THREADS", "1"));
        builder.environment().putAll(group);
        return builder.start();
    }
}
