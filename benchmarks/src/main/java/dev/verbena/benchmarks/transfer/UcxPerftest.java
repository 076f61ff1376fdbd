package dev.verbena.benchmarks.transfer;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.verbena.benchmarks.Program;
import dev.verbena.cli.FreePort;

/**
 * Puts by UCX's own C tool, {@code ucx_perftest}, over POSIX shared memory. Of a latency test it says half a round trip ("50.0_percentile_lat"), of which it
 * takes the median of the last 2048; of a bandwidth test the MiB a second of all of it, its flush included ("overall_bw"; UCX's
 * {@code src/tools/perf/lib/libperf.c} and {@code ucp_tests.cc}). Its server has no option for the loopback interface alone: for the moment until the client
 * comes, it listens on all.
 *
 * <p><b>Owner:</b> {@link RawPuts}. <b>Threading:</b> confined to its thread.
 */
final class UcxPerftest implements PutMeter {
    private static final String PROGRAM = "ucx_perftest";
    private static final String HOST = "127.0.0.1";
    private static final Map<String, String> ENVIRONMENT = Map.of("UCX_TLS", "posix");
    private static final String LATENCY_COLUMN = "50.0_percentile_lat";
    private static final String BANDWIDTH_COLUMN = "overall_bw";
    /** A server listens soon, and does not say when. */
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_MS = 50;
    private static final Pattern VERSION = Pattern.compile("[Vv]ersion:? (\\S+)");

    static boolean isInstalled() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
    }

    /** Of UCX's libraries, as its tool says; null where it is not installed. */
    static String version() throws IOException {
        if (!isInstalled()) {
            return null;
        }
        try (Program info = Program.start(Map.of(), List.of("ucx_info", "-v"))) {
            Matcher matcher = VERSION.matcher(String.join("\n", info.rest()));
            return matcher.find() ? matcher.group(1) : null;
        }
    }

    @Override
    public double measure(Put put, boolean isQuick) throws IOException, InterruptedException {
        if (!isInstalled()) {
            throw new IllegalStateException(PROGRAM + " is not installed: apt-get install ucx-utils");
        }
        String port = Integer.toString(FreePort.onLoopback());
        try (Program server = Program.start(ENVIRONMENT, List.of(PROGRAM, "-p", port))) {
            List<String> lines = ask(port, put, put.count(isQuick));
            server.succeed();
            return parse(lines, put);
        }
    }

    private static List<String> ask(String port, Put put, long count) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(PROGRAM, HOST, "-p", port));
        command.addAll(List.of("-t", put.isLatency() ? "ucp_put_lat" : "ucp_put_bw", "-s", "" + put.byteSize()));
        command.addAll(List.of("-n", "" + count, "-w", "" + Math.max(1, count / 10), "-f", "-v"));
        long beginNs = System.nanoTime();
        while (true) {
            try (Program client = Program.start(ENVIRONMENT, command)) {
                List<String> lines = client.rest();
                if (client.status() == 0) {
                    return lines;
                }
                if (System.nanoTime() - beginNs > CONNECT_NS || !String.join("\n", lines).contains("refused")) {
                    throw client.failure(lines);
                }
            }
            Thread.sleep(PAUSE_MS);
        }
    }

    /** Of its output with {@code -f -v}: a line of columns' names and one of numbers. */
    static double parse(List<String> lines, Put put) {
        String column = put.isLatency() ? LATENCY_COLUMN : BANDWIDTH_COLUMN;
        for (int i = 0; i + 1 < lines.size(); i++) {
            int index = List.of(lines.get(i).split(",")).indexOf(column);
            String[] values = lines.get(i + 1).split(",");
            if (index >= 0 && index < values.length) {
                return Double.parseDouble(values[index]);
            }
        }
        throw new IllegalStateException(PROGRAM + " has no column " + column + " in what it says: " + lines);
    }
}
