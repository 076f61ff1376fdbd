package dev.verbena.benchmarks.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.Program;

/**
 * Puts by {@code ./verbena perf --fabric shm}. Of {@code put_lat} it says half of each round trip, of which the median is "t_typical"; of {@code put_bw}
 * the MiB a second of all of it ("BW_average").
 *
 * <p><b>Owner:</b> {@link RawPuts}. <b>Threading:</b> confined to its thread.
 */
final class VerbenaPerf implements PutMeter {
    private static final String HOST = "127.0.0.1";
    private static final Pattern LISTENS = Pattern.compile("waiting for a client at .*:([0-9]+) ");

    @Override
    public double measure(Put put, boolean isQuick) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(Program.verbena("perf", put.isLatency() ? "put_lat" : "put_bw"));
        command.addAll(List.of("--fabric", "shm", "-s", "" + put.byteSize(), "-n", "" + put.count(isQuick)));
        if (isQuick) {
            command.addAll(List.of("--warm-up", "0"));
        }
        Path json = Files.createTempFile("verbena-perf", ".json");
        try (Program server = Program.start(Map.of(), with(command, "-p", "0"))) {
            String port = server.await(LISTENS);
            try (Program client = Program.start(Map.of(),
                    with(command, "-p", port, "--json", json.toString(), HOST))) {
                client.succeed();
            }
            server.succeed();
            return parse(Files.readString(json), put);
        } finally {
            Files.delete(json);
        }
    }

    private static List<String> with(List<String> command, String... more) {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(more));
        return all;
    }

    /** Of its JSON. */
    static double parse(String json, Put put) throws IOException {
        Map<?, ?> result = (Map<?, ?>) ((List<?>) JSON.std.mapFrom(json).get("results")).getFirst();
        return ((Number) result.get(put.isLatency() ? "t_typical" : "BW_average")).doubleValue();
    }
}
