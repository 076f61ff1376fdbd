package dev.verbena.benchmarks.allreduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.Program;
import dev.verbena.cli.FreePort;

/**
 * All-reduces by {@code ./verbena perf allreduce} over shared memory: a process for each member.
 *
 * <p><b>Owner:</b> {@link AllReduceBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class VerbenaGroup {
    private VerbenaGroup() {}

    /** Median microseconds, as rank 0 has them. */
    static Map<Long, Double> micros(AllReduceWork work) throws IOException, InterruptedException {
        Path json = Files.createTempFile("verbena-allreduce", ".json");
        List<Program> members = new ArrayList<>();
        try {
            String addresses = addresses(work.members());
            for (int rank = 0; rank < work.members(); rank++) {
                List<String> command = command(work, addresses, rank);
                if (rank == 0) {
                    command.add("--json=" + json);
                }
                members.add(Program.start(Map.of(), command));
            }
            for (Program member : members) {
                member.succeed();
            }
            return parse(Files.readString(json));
        } finally {
            members.forEach(Program::close);
            Files.delete(json);
        }
    }

    private static String addresses(int members) throws IOException {
        List<String> addresses = new ArrayList<>();
        while (addresses.size() < members) {
            String address = "127.0.0.1:" + FreePort.onLoopback();
            if (!addresses.contains(address)) {
                addresses.add(address);
            }
        }
        return String.join(",", addresses);
    }

    /** It does fewer of large ones by itself. */
    private static List<String> command(AllReduceWork work, String addresses, int rank) {
        String sizes = work.byteSizes().stream().map(String::valueOf).collect(Collectors.joining(","));
        List<String> command = new ArrayList<>(Program.verbena("perf", "allreduce", "--fabric=shm",
                "--members=" + addresses, "--rank=" + rank, "--sizes=" + sizes));
        if (work.isQuick()) {
            command.addAll(List.of("-n", "10", "--warm-up=0"));
        }
        return command;
    }

    /** Of its JSON. */
    static Map<Long, Double> parse(String json) throws IOException {
        Map<Long, Double> micros = new LinkedHashMap<>();
        for (Object each : (List<?>) JSON.std.mapFrom(json).get("results")) {
            Map<?, ?> result = (Map<?, ?>) each;
            micros.put(((Number) result.get("byteSize")).longValue(),
                    ((Number) ((Map<?, ?>) result.get("usec")).get("t_typical")).doubleValue());
        }
        return micros;
    }
}
