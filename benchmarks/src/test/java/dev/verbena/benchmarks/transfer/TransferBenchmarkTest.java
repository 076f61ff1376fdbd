package dev.verbena.benchmarks.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import com.fasterxml.jackson.jr.ob.JSON;

/** A smoke test: tensors arrive whole by each way, which their senders check, and each has a line. */
@Timeout(180)
class TransferBenchmarkTest {
    private static final int COUNT = 5000;

    /** As {@code benchmarks/run} gives it. */
    @BeforeEach
    void readOptions() throws IOException {
        String run = Files.readString(Path.of(System.getProperty("verbena.home"), "benchmarks/run"));
        Matcher transfer = Pattern.compile("(?ms)^transfer\\(\\) \\{.*?^}").matcher(run);
        assertTrue(transfer.find(), "benchmarks/run starts it");
        EndPair.OPTIONS.forEach((way, property) -> {
            Matcher option = Pattern.compile("-D" + property + "=(\\S+)").matcher(transfer.group());
            assertTrue(option.find(), () -> "benchmarks/run says what " + way.label + " needs");
            System.setProperty(property, option.group(1));
        });
    }

    private static TransferOrder order(String... arguments) {
        return new TransferOrder(arguments);
    }

    @AfterEach
    void forgetOptions() {
        EndPair.OPTIONS.values().forEach(System::clearProperty);
    }

    @Test
    void eachWayHasALineForEachWork() throws Exception {
        List<String> said = new ArrayList<>();
        try (TransferBenchmark benchmark = new TransferBenchmark(order("--quick"), said::add)) {
            TransferFigures figures = benchmark.run(TransferBenchmark.BYTE_SIZES.subList(1, 4), 1);
            List<String> table = figures.table();
            List<String> leftOut = said.stream().filter(line -> line.contains(" is left out: ")).toList();
            assertTrue(
                    leftOut.stream()
                            .allMatch(line -> line.startsWith(Way.UCX.label + " is left out: jucx cannot be loaded")),
                    leftOut::toString);
            int times = 1 + Work.values().length * (2 + Way.values().length + 1);
            assertEquals(leftOut, table.subList(times + Way.values().length, table.size()));
            assertEquals("Tensors from a process to another on the same machine, over shm", table.getFirst());
            assertTrue(table.get(2).matches(" +4 KiB +64 KiB +1 MiB"), table.get(2));
            assertTrue(table.get(3).matches("static( +[0-9.]+){3}"), table.get(3));
            assertTrue(table.get(times).startsWith("Times as long as by static placement"), table.get(times));
            assertTrue(table.get(times + 1).matches("dynamic( +[0-9.]+){3}"), table.get(times + 1));
            assertEquals(3 + 2 * 3, figures.targets().size(), figures.targets()::toString);
            Map<String, Object> json = JSON.std.mapFrom(figures.json());
            int ways = Way.values().length - leftOut.size();
            assertEquals(3 * (Work.values().length * ways + 1), ((List<?>) json.get("figures")).size());
            assertEquals(3 + 2 * 3, ((List<?>) json.get("targets")).size());
            assertEquals(leftOut.size(), ((List<?>) json.get("leftOut")).size());
            Map<?, ?> versions = (Map<?, ?>) json.get("versions");
            for (String library : List.of("grpc", "arrow", "aeron", "netty", "jucx")) {
                assertTrue(versions.get(library).toString().matches("[0-9]+\\.[0-9].*"), versions::toString);
            }
            assertTrue(((Map<?, ?>) json.get("machine")).containsKey("processors"), json::toString);
        }
        assertTrue(said.contains("1 MiB: round 1 of 1"), said::toString);
    }

    @Test
    void aWayThatDoesNotWorkHereIsLeftOutWithItsReason() throws Exception {
        System.clearProperty(EndPair.OPTIONS.get(Way.FLIGHT));
        List<String> said = new ArrayList<>();
        String sentence = "Arrow Flight is left out: -Dverbena.flightOption is not set: start it by ./verbena bench transfer";
        try (TransferBenchmark benchmark = new TransferBenchmark(List.of(Way.STATIC, Way.FLIGHT), order("--quick"),
                said::add)) {
            TransferFigures figures = benchmark.run(List.of(64L), 1);
            assertTrue(said.contains(sentence), said::toString);
            assertTrue(figures.table().contains(sentence), figures.table()::toString);
            assertTrue(figures.table().contains(String.format("%-20s%12s", Way.FLIGHT.label, "-")),
                    figures.table()::toString);
            List<?> leftOut = (List<?>) JSON.std.mapFrom(figures.json()).get("leftOut");
            assertTrue(leftOut.toString().contains("verbena.flightOption"), leftOut::toString);
        }
    }

    /** By a script in place of ssh, which stays here. */
    @Test
    void betweenHostsEndsAreStartedBySsh(@TempDir Path folder) throws Exception {
        Path ssh = folder.resolve("ssh");
        Path hosts = folder.resolve("hosts");
        Files.writeString(ssh, "#!/bin/sh\necho \"$2\" >> '" + hosts + "'\nexec sh -c \"$3\"\n");
        assertTrue(ssh.toFile().setExecutable(true));
        List<String> said = new ArrayList<>();
        TransferOrder order = order("--quick", "--hosts", "127.0.0.1,localhost", "--ssh", ssh + " -q", "--fabric",
                "shm");
        try (TransferBenchmark benchmark = new TransferBenchmark(List.of(Way.STATIC, Way.GRPC, Way.FLIGHT, Way.AERON),
                order, said::add)) {
            TransferFigures figures = benchmark.run(List.of(4096L), 1);
            List<String> table = figures.table();
            assertEquals("Tensors from localhost to 127.0.0.1, over shm", table.getFirst());
            for (Way way : List.of(Way.STATIC, Way.GRPC, Way.FLIGHT)) {
                assertTrue(figures.us(way, Work.MAX, 4096).isPositive(), table::toString);
            }
            assertEquals(List.of(), figures.targets());
            assertEquals("Aeron IPC is left out: it stays within a machine", table.getLast());
            assertTrue(said.contains(table.getLast()), said::toString);
            assertTrue(TransferPage.of(figures, true).contains("from localhost to 127.0.0.1, over shm"));
            assertEquals("localhost", JSON.std.mapFrom(figures.json()).get("sender"));
        }
        List<String> names = Files.readAllLines(hosts);
        assertEquals(3, names.stream().filter("127.0.0.1"::equals).count(), names::toString);
        assertEquals(3, names.stream().filter("localhost"::equals).count(), names::toString);
    }

    @Test
    void sizesAreSaidInWords() {
        assertEquals(List.of(64L, 4096L, 3L << 20, 1L << 30), TransferBenchmark.parsedByteSizes("1G,64,3M,4K,64"));
        for (String wrong : List.of("", "64,", "0", "6", "2G", "4k", "9999999999G")) {
            String said = assertThrows(IllegalArgumentException.class,
                    () -> TransferBenchmark.parsedByteSizes(wrong)).getMessage();
            assertTrue(said.startsWith("--sizes=" + wrong + ": '"), said);
        }
    }

    /** Wherever it is. */
    @ParameterizedTest
    @EnumSource(Work.class)
    void theResultTellsOneTensorFromAnother(Work work) {
        MemorySegment tensor = MemorySegment.ofArray(new float[COUNT]);
        Work.make(tensor, 7);
        Work.check(work.of(tensor), 7);
        assertThrows(IllegalStateException.class, () -> Work.check(work.of(tensor), 8));
        assertEquals(-1, work.of(MemorySegment.ofArray(new float[]{-1})));
    }

    @Test
    void theLargestElementIsFoundAnywhere() {
        for (int at : new int[]{0, 1, 2047, 2048, COUNT - 1}) {
            float[] elements = new float[COUNT];
            elements[at] = 3;
            assertEquals(3, Work.MAX.of(MemorySegment.ofArray(elements)), "at " + at);
        }
    }
}
