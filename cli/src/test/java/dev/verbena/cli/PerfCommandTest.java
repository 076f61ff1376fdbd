package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import com.fasterxml.jackson.jr.ob.JSON;

/** {@code verbena perf} as two processes. */
@Timeout(120)
class PerfCommandTest {
    private static final Pattern WAITING = Pattern.compile("\\* waiting for a client at 127\\.0\\.0\\.1:(\\d+) \\*");

    @TempDir
    private Path folder;

    /** The columns of perftest, units included. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "write_bw|'#bytes #iterations BW peak[MiB/sec] BW average[MiB/sec] MsgRate[Mpps]'",
            "write_bw --report_gbits|'#bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]'",
            "send_lat|'#bytes #iterations t_min[usec] t_max[usec] t_typical[usec] t_avg[usec] t_stdev[usec] 99% percentile[usec] 99.9% percentile[usec]'"})
    void columns(String line, String columns) throws Exception {
        try (CommandRun server = server(line + " -n 20"); CommandRun client = client(server, line + " -n 20")) {
            assertEquals(ExitStatus.SUCCESS, client.await(), client.errors());
            assertEquals(ExitStatus.SUCCESS, server.await(), server.errors());
            List<String> rows = client.output().lines().map(row -> row.strip().replaceAll("\\s+", " ")).toList();
            int header = rows.indexOf(columns);
            assertTrue(header > 0, client.output());
            String[] row = rows.get(header + 1).split(" ");
            assertEquals("20", row[1]);
            assertEquals(line.contains("_bw") ? 5 : 9, row.length, rows.get(header + 1));
            assertTrue(rows.get(header + 2).startsWith("----"), client.output());
            assertTrue(rows.get(header + 3).matches("The JIT compiled for \\d+ ms of what was measured"),
                    client.output());
        }
    }

    @Test
    void json() throws Exception {
        Path ofServer = folder.resolve("server.json");
        Path ofClient = folder.resolve("client.json");
        String line = "read_bw -s 128 -n 64 -l 8 -q 2 --json ";
        try (CommandRun server = server(line + ofServer); CommandRun client = client(server, line + ofClient)) {
            assertEquals(ExitStatus.SUCCESS, client.await(), client.errors());
            assertEquals(ExitStatus.SUCCESS, server.await(), server.errors());
        }
        Map<String, Object> report = JSON.std.mapFrom(Files.readString(ofClient));
        assertEquals("read_bw", report.get("test"));
        assertEquals("client", report.get("role"));
        assertEquals("shm", report.get("fabric"));
        assertEquals(2, report.get("queuePairs"));
        assertEquals(64, report.get("txDepth"));
        assertEquals(8, report.get("postList"));
        assertEquals(8, report.get("cqModeration"));
        assertEquals("MiB/sec", report.get("unit"));
        Map<?, ?> result = (Map<?, ?>) ((List<?>) report.get("results")).getFirst();
        assertEquals(128, result.get("MsgSize"));
        assertEquals(128, result.get("n_iterations"));
        assertTrue(((Number) result.get("BW_average")).doubleValue() > 0, result.toString());
        assertTrue(((Number) result.get("MsgRate")).doubleValue() > 0, result.toString());
        assertTrue(result.containsKey("jitMs"), result.toString());
        assertEquals(List.of(), JSON.std.mapFrom(Files.readString(ofServer)).get("results"),
                "the target of reads measures nothing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"write_bw", "send_bw", "write_lat", "read_lat", "send_lat", "put_bw", "put_lat"})
    void aSideEndsWhenTheOtherDies(String test) throws Exception {
        String line = test + " -s 64 -n 10000000";
        for (boolean isServerKilled : new boolean[]{true, false}) {
            try (CommandRun server = server(line); CommandRun client = client(server, line)) {
                awaitOutput(client, Pattern.compile("Connection type"));
                CommandRun survivor = isServerKilled ? client : server;
                (isServerKilled ? server : client).process().destroyForcibly();
                assertEquals(ExitStatus.FAILED, survivor.await(), survivor.errors());
                assertEquals(1, survivor.errors().lines().count(), survivor.errors());
                // A fabric that finds the peer's memory gone may be quicker than the news of its death.
                assertTrue(survivor.errors().strip().matches(
                        "verbena: " + test + ": (RETRY_EXCEEDED: )?peer .*(died|is gone).*"), survivor.errors());
                assertEquals(List.of(), survivor.sharedFiles());
            }
        }
    }

    @Test
    void tensorsBesideTheFabricAndACopy() throws Exception {
        Path ofServer = folder.resolve("server.json");
        Path ofClient = folder.resolve("client.json");
        String line = "tensor --protocol static,dynamic --sizes 8,100,64K -n 20 --warm-up 0 --rounds 3 --fabric shm --touch --json ";
        try (CommandRun server = server(line + ofServer); CommandRun client = client(server, line + ofClient)) {
            assertEquals(ExitStatus.SUCCESS, client.await(), client.errors());
            assertEquals(ExitStatus.SUCCESS, server.await(), server.errors());
            List<String[]> rows = client.output().lines().map(row -> row.strip().split("\\s+"))
                    .filter(row -> row.length == 19 && row[2].equals("20")).toList();
            assertEquals(List.of("8 static 8", "8 dynamic 8", "100 static 100", "100 dynamic 100", "65536 static 65536",
                    "65536 dynamic 65536"), rows.stream().map(row -> row[0] + " " + row[1] + " " + row[18]).toList(),
                    client.output());
            assertEquals(List.of(), client.sharedFiles());
        }
        Map<String, Object> report = JSON.std.mapFrom(Files.readString(ofClient));
        assertEquals("tensor", report.get("test"));
        assertEquals("static,dynamic", report.get("protocol"));
        assertEquals(true, report.get("touch"));
        assertEquals(3, report.get("rounds"));
        List<?> results = (List<?>) report.get("results");
        Map<?, ?> first = (Map<?, ?>) results.get(results.size() - 2);
        Map<?, ?> result = (Map<?, ?>) results.getLast();
        assertEquals("static", first.get("protocol"));
        assertEquals(1.0, first.get("bandwidthToFirst"));
        assertEquals(1.0, result.get("usable"), "it comes whole");
        assertEquals("dynamic", result.get("protocol"));
        assertEquals(((Number) result.get("bytesPerSecond")).doubleValue()
                / ((Number) first.get("bytesPerSecond")).doubleValue(),
                ((Number) result.get("bandwidthToFirst")).doubleValue(), 1e-9);
        assertEquals(65_536, result.get("byteSize"));
        assertEquals(100, result.get("streamed"));
        assertEquals(0.0, result.get("stagingBytesPerTensor"));
        assertEquals(65_536.0, result.get("fabricBytesPerTensor"));
        for (String figure : List.of("bytesPerSecond", "rawBytesPerSecond", "copyBytesPerSecond",
                "handOverBytesPerSecond", "oneWayToRaw")) {
            assertTrue(((Number) result.get(figure)).doubleValue() > 0, figure + " of " + result);
        }
        assertEquals(((Number) result.get("bytesPerSecond")).doubleValue()
                / ((Number) result.get("copyBytesPerSecond")).doubleValue(),
                ((Number) result.get("bandwidthToCopy")).doubleValue(), 1e-9);
        assertEquals(((Number) result.get("bytesPerSecond")).doubleValue()
                / ((Number) result.get("handOverBytesPerSecond")).doubleValue(),
                ((Number) result.get("bandwidthToHandOver")).doubleValue(), 1e-9);
        assertEquals(List.of(), JSON.std.mapFrom(Files.readString(ofServer)).get("results"), "the client measures");
    }

    @Test
    void theFirstBytesOfWhatComesInChunksAreUsableBeforeTheLast() throws Exception {
        Path file = folder.resolve("client.json");
        String line = "tensor --protocol rendezvous --sizes 4M -n 5 --warm-up 0 --fabric shm";
        try (CommandRun server = server(line); CommandRun client = client(server, line + " --json " + file)) {
            assertEquals(ExitStatus.SUCCESS, client.await(), client.errors());
            assertEquals(ExitStatus.SUCCESS, server.await(), server.errors());
        }
        List<?> results = (List<?>) JSON.std.mapFrom(Files.readString(file)).get("results");
        double usable = ((Number) ((Map<?, ?>) results.getFirst()).get("usable")).doubleValue();
        assertTrue(usable > 0 && usable < 1, () -> "after " + usable);
    }

    @Test
    void aSideOfTensorsEndsWhenTheOtherDies() throws Exception {
        String line = "tensor --sizes 8 -n 10000000 --fabric shm";
        for (boolean isServerKilled : new boolean[]{true, false}) {
            try (CommandRun server = server(line); CommandRun client = client(server, line)) {
                awaitOutput(client, Pattern.compile("Tensors, protocol static"));
                CommandRun survivor = isServerKilled ? client : server;
                (isServerKilled ? server : client).process().destroyForcibly();
                assertEquals(ExitStatus.FAILED, survivor.await(), survivor.errors());
                assertTrue(survivor.errors().strip().matches(
                        "verbena: tensor: (RETRY_EXCEEDED: )?peer .*(died|is gone).*"), survivor.errors());
                assertEquals(List.of(), survivor.sharedFiles());
            }
        }
    }

    @Test
    void differingSidesBothSaySo() throws Exception {
        try (CommandRun server = server("write_bw -s 64"); CommandRun client = client(server, "write_bw -s 128")) {
            for (CommandRun side : List.of(server, client)) {
                assertEquals(ExitStatus.BAD_INPUT, side.await(), side.errors());
                assertEquals(1, side.errors().lines().count(), side.errors());
                assertTrue(side.errors().contains("-s is ") && side.errors().contains("128"), side.errors());
            }
        }
    }

    @Test
    void oneClientIsServed() throws Exception {
        String line = "write_lat -n 10000000";
        try (CommandRun server = server(line); CommandRun first = client(server, line)) {
            awaitOutput(first, Pattern.compile("Connection type"));
            try (CommandRun second = client(server, line)) {
                assertEquals(ExitStatus.BAD_INPUT, second.await());
                assertTrue(second.errors().contains("has its client already"), second.errors());
            }
            assertTrue(first.process().isAlive() && server.process().isAlive());
        }
    }

    @ParameterizedTest
    @CsvSource({"write_latency, write_latency", "write_bw -s 0, -s=0", "write_bw -s 2000000000000, -s=2000000000000",
            "write_bw -t 8192, 8192", "write_bw --fabric tcp, tcp", "write_bw 127.0.0.1 -x, --rdma-gid-index",
            "write_bw -m 5000, 5000", "'', TEST", "tensor --sizes 8..7, --sizes=8..7", "tensor --protocol tcp, tcp",
            "tensor -s 8, -s", "tensor --sizes 2G --fabric tcp, tcp",
            "write_bw --json /no/such/file, /no/such"})
    void badInput(String line, String named) throws Exception {
        try (CommandRun run = start(line, List.of())) {
            assertEquals(ExitStatus.BAD_INPUT, run.await(), run.errors());
            assertEquals(1, run.errors().lines().count(), run.errors());
            assertTrue(run.errors().startsWith("verbena: ") && run.errors().contains(named), run.errors());
            assertEquals("", run.output());
            assertEquals(List.of(), run.sharedFiles());
        }
    }

    private static CommandRun server(String line) {
        return start(line, List.of("-p=0"));
    }

    private static CommandRun client(CommandRun server, String line) throws InterruptedException {
        return start(line, List.of("-p=" + awaitOutput(server, WAITING).group(1), "127.0.0.1"));
    }

    private static CommandRun start(String line, List<String> more) {
        List<String> arguments = new ArrayList<>(List.of("perf"));
        if (!line.isEmpty()) {
            arguments.addAll(List.of(line.split(" ")));
        }
        arguments.addAll(more);
        return CommandRun.start(arguments.toArray(String[]::new));
    }

    private static Matcher awaitOutput(CommandRun run, Pattern pattern) throws InterruptedException {
        Matcher matcher = pattern.matcher(run.output());
        while (!matcher.find()) {
            assertTrue(run.process().isAlive(), () -> "ended by itself: " + run.errors());
            TimeUnit.MILLISECONDS.sleep(10);
            matcher = pattern.matcher(run.output());
        }
        return matcher;
    }
}
