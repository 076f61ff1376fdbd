package dev.verbena.arrow;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import com.fasterxml.jackson.jr.ob.JSON;

/**
 * benchmarks/run arrow [--quick] [--rounds N] [--json FILE]: batches of Arrow from a process to another, copied once, lent, and by Arrow Flight, in
 * turn; ratios of a round's figures, and the medians of all rounds.
 */
final class StreamsBenchmark implements AutoCloseable {
    /** What only the JVMs of Flight are started with. */
    static final String FLIGHT_OPTION = "verbena.flightOption";
    private static final int ROUNDS = 7;
    private static final double LENT_US_MAX = 20;
    private static final int LENT_COUNT = 2_000;

    /** How batches get there. */
    enum Way {
        COPIED("copied"), LENT("lent"), FLIGHT("Flight");

        private final String title;

        Way(String title) {
            this.title = title;
        }
    }

    /**
     * Batches of one size.
     *
     * @param count of a round; of lent ones, which take as long whatever their size, {@link #LENT_COUNT}
     * @param flightOverCopied how many times longer Flight is to take than copying
     */
    record Size(String title, int byteSize, int count, double flightOverCopied) {
        int count(Way way, int divisor) {
            return Math.max(1, (way == Way.LENT ? LENT_COUNT : count) / divisor);
        }
    }

    private static final List<Size> SIZES = List.of(new Size("64 KiB", 64 << 10, 2_000, 5),
            new Size("1 MiB", 1 << 20, 300, 5), new Size("64 MiB", 64 << 20, 10, 8));

    /** The two processes of a way. */
    private record Ends(Process reader, BufferedReader fromReader, Process writer, BufferedReader fromWriter) {}

    private final Map<Way, Ends> ends = new EnumMap<>(Way.class);
    private final List<Process> processes = new ArrayList<>();
    /** Microseconds of a batch, in the order of the rounds. */
    private final Map<Size, Map<Way, List<Double>>> us = new LinkedHashMap<>();
    private int rounds;

    StreamsBenchmark() throws IOException {
        try {
            for (Way way : Way.values()) {
                Process reader = start(way, null);
                BufferedReader fromReader = linesOf(reader);
                Process writer = start(way, line(fromReader));
                BufferedReader fromWriter = linesOf(writer);
                line(fromWriter);
                ends.put(way, new Ends(reader, fromReader, writer, fromWriter));
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
        for (Size size : SIZES) {
            us.put(size, new EnumMap<>(Way.class));
            for (Way way : Way.values()) {
                us.get(size).put(way, new ArrayList<>());
            }
        }
    }

    private Process start(Way way, String peer) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                        "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xms256m", "-Xmx256m",
                        "-XX:MaxDirectMemorySize=2g", "-Dslf4j.internal.verbosity=ERROR"));
        if (way == Way.FLIGHT) {
            // Direct buffers at addresses of Arrow's, which the others do not need; what gives them benchmarks/run says.
            String option = System.getProperty(FLIGHT_OPTION);
            if (option == null) {
                throw new IllegalStateException(
                        "-D" + FLIGHT_OPTION + " is not set: start it by ./verbena bench arrow");
            }
            command.add(option);
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), BatchProcess.class.getName(), way.name()));
        if (peer != null) {
            command.add(peer);
        }
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        processes.add(process);
        return process;
    }

    private static BufferedReader linesOf(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static String line(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        if (line == null) {
            throw new IllegalStateException("an end has ended; what it said is above");
        }
        return line;
    }

    private static void tell(Process process, String order) throws IOException {
        process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Microseconds of a batch: from the first's writing until the last is read. */
    private double run(Way way, int byteSize, int count) throws IOException {
        Ends pair = ends.get(way);
        String order = byteSize + " " + count;
        tell(pair.reader(), order);
        tell(pair.writer(), order);
        long begunNs = Long.parseLong(line(pair.fromWriter()));
        return (Long.parseLong(line(pair.fromReader())) - begunNs) / 1e3 / count;
    }

    /** So many batches of each way, uncounted: JVMs that have sent little yet are slow at it, gRPC's most. */
    void warmUp(int divisor) throws IOException {
        for (Size size : SIZES) {
            for (Way way : Way.values()) {
                run(way, size.byteSize(), 3 * size.count(way, divisor));
            }
        }
    }

    /** Each size by each way once, the first of them another in each round. */
    void round(int divisor) throws IOException {
        for (Size size : SIZES) {
            for (int i = 0; i < Way.values().length; i++) {
                Way way = Way.values()[(i + rounds) % Way.values().length];
                us.get(size).get(way).add(run(way, size.byteSize(), size.count(way, divisor)));
            }
        }
        rounds++;
    }

    private static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private double us(Size size, Way way) {
        return median(us.get(size).get(way).stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** The median of the rounds' ratios. */
    private double flightOver(Size size, Way way) {
        double[] ratios = new double[rounds];
        for (int i = 0; i < rounds; i++) {
            ratios[i] = us.get(size).get(Way.FLIGHT).get(i) / us.get(size).get(way).get(i);
        }
        return median(ratios);
    }

    private boolean isMet(Size size, Way way) {
        return switch (way) {
            case COPIED -> flightOver(size, way) >= size.flightOverCopied();
            case LENT -> us(size, way) <= LENT_US_MAX;
            case FLIGHT -> true;
        };
    }

    private static String target(Size size, Way way) {
        return switch (way) {
            case COPIED -> String.format(Locale.ROOT, ">= %.0f x", size.flightOverCopied());
            case LENT -> String.format(Locale.ROOT, "<= %.0f us", LENT_US_MAX);
            case FLIGHT -> "";
        };
    }

    /** A line for each size and way. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "%-8s %-8s %12s %12s %14s %10s", "batch", "", "us a batch", "GB/s",
                "Flight takes", "target"));
        for (Size size : SIZES) {
            for (Way way : Way.values()) {
                lines.add(String
                        .format(Locale.ROOT, "%-8s %-8s %12.1f %12.2f %12.1f x %10s %s", size.title(), way.title,
                                us(size, way), size.byteSize() / us(size, way) / 1e3, flightOver(size, way),
                                target(size, way),
                                target(size, way).isEmpty() ? "" : isMet(size, way) ? "met" : "missed")
                        .stripTrailing());
            }
        }
        return lines;
    }

    /** The same, with the figure of each round. */
    String json() throws IOException {
        List<Map<String, Object>> figures = new ArrayList<>();
        for (Size size : SIZES) {
            for (Way way : Way.values()) {
                Map<String, Object> figure = new LinkedHashMap<>();
                figure.put("batchByteSize", size.byteSize());
                figure.put("way", way.title);
                figure.put("usOfRounds", us.get(size).get(way));
                figure.put("us", us(size, way));
                figure.put("flightOver", flightOver(size, way));
                figure.put("target", target(size, way));
                figure.put("isMet", isMet(size, way));
                figures.add(figure);
            }
        }
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(Map.of("rounds", rounds, "figures", figures));
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
    }

    public static void main(String[] arguments) throws IOException {
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            int roundCount = ROUNDS;
            boolean isQuick = false;
            Path json = null;
            boolean isRight = true;
            for (int i = 0; i < arguments.length; i++) {
                String value = i + 1 < arguments.length ? arguments[i + 1] : "";
                switch (arguments[i]) {
                    case "--quick" -> isQuick = true;
                    case "--rounds" -> {
                        isRight &= value.matches("[1-9][0-9]?");
                        roundCount = isRight ? Integer.parseInt(value) : 1;
                        i++;
                    }
                    case "--json" -> {
                        isRight &= !value.isEmpty();
                        json = Path.of(value);
                        i++;
                    }
                    default -> isRight = false;
                }
            }
            if (!isRight) {
                output.println("benchmarks: arrow takes --quick, --rounds N from 1 to 99, and --json FILE; not "
                        + String.join(" ", arguments));
                System.exit(2);
            }
            int divisor = isQuick ? 100 : 1;
            try (StreamsBenchmark benchmark = new StreamsBenchmark()) {
                benchmark.warmUp(divisor);
                for (int i = 0; i < (isQuick ? 1 : roundCount); i++) {
                    benchmark.round(divisor);
                }
                benchmark.table().forEach(output::println);
                if (json != null) {
                    Files.writeString(json, benchmark.json());
                }
            }
        }
    }
}
