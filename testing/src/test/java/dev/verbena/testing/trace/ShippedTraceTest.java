package dev.verbena.testing.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.TensorArena;

/** The files are what the generators say, and the models are those of the table. */
class ShippedTraceTest {
    private static final double MIB = 1024 * 1024;
    private static final long FILE_BYTE_SIZE_MAX = 200 * 1024;

    @ParameterizedTest
    @EnumSource
    void isWhatItsGeneratorMakes(ShippedTrace which) throws IOException {
        GeneratedTrace generated = GeneratedTrace.of(which);
        if (Boolean.getBoolean("verbena.writeTraces")) {
            Files.createDirectories(GeneratedTrace.file(which).getParent());
            Files.writeString(GeneratedTrace.file(which), generated.text());
            return; // the copies on the class path are those of the build before
        }
        assertEquals(generated.text(), Files.readString(GeneratedTrace.file(which)),
                "./verbena test -pl testing -am -Dtest=ShippedTraceTest -Dsurefire.failIfNoSpecifiedTests=false"
                        + " -Dverbena.writeTraces=true writes it anew");
        assertEquals(generated.trace(), which.read());
        assertTrue(Files.size(GeneratedTrace.file(which)) <= FILE_BYTE_SIZE_MAX, "the file is small");
    }

    /** Model size (in units of 2^20 bytes, rounded as printed) and number of variable tensors of EuroSys'19, Table 2. */
    @ParameterizedTest
    @CsvSource({"ALEXNET, 176.42, 16", "INCEPTION_V3, 92.90, 196", "VGGNET_16, 512.32, 32", "LSTM, 35.93, 14",
            "GRU, 27.92, 11", "FCN_5, 204.47, 10"})
    void variablesAreThoseOfTheTable(ShippedTrace which, String mib, int count) {
        Trace trace = which.read();
        List<TraceEvent> events = trace.events();
        int firstMark = events.indexOf(new TraceEvent.Mark());
        List<TraceEvent.Allocate> variables = events.subList(0, firstMark).stream()
                .map(TraceEvent.Allocate.class::cast).toList();
        assertEquals(count, variables.size());
        assertEquals(mib, String.format(Locale.ROOT, "%.2f",
                variables.stream().mapToLong(TraceEvent.Allocate::byteSize).sum() / MIB));
        assertEquals(3, trace.iterationCount());
        Set<Integer> freed = new HashSet<>();
        events.subList(firstMark, events.lastIndexOf(new TraceEvent.Mark())).forEach(event -> {
            if (event instanceof TraceEvent.Free free) {
                freed.add(free.id());
            }
        });
        assertTrue(variables.stream().noneMatch(variable -> freed.contains(variable.id())), "variables stay");
    }

    /** In the backward pass each variable gets a gradient of its size, which lives until the update; so the peak has both. */
    @ParameterizedTest
    @EnumSource(names = {"ALEXNET", "INCEPTION_V3", "VGGNET_16", "LSTM", "GRU", "FCN_5"})
    void variablesAndGradientsAreLiveAtOnce(ShippedTrace which) {
        Trace trace = which.read();
        long variables = 0;
        for (TraceEvent event : trace.events().subList(0, trace.events().indexOf(new TraceEvent.Mark()))) {
            variables += ((TraceEvent.Allocate) event).byteSize();
        }
        assertTrue(trace.livePeakByteSize() >= 2 * variables, () -> trace + " peak=" + trace.livePeakByteSize());
        assertTrue(trace.livePeakByteSize() < 8L << 30, "a small machine can replay it");
    }

    @Test
    void oneOfThemHasTwoThreads() {
        for (ShippedTrace which : ShippedTrace.values()) {
            assertEquals(which == ShippedTrace.PRODUCER_CONSUMER ? 2 : 1, which.read().threadCount(), which.name());
        }
    }

    @Test
    void lengthsDiffer() {
        long[] byteSizes = ShippedTrace.LSTM_VARIABLE.read().byteSizes();
        assertTrue(Arrays.stream(byteSizes).distinct().count() > 20, "sizes of many lengths");
    }

    @ParameterizedTest
    @EnumSource
    void anArenaReplaysIt(ShippedTrace which) {
        Trace trace = which.read();
        OffHeapSlabSource source = new OffHeapSlabSource();
        try (TensorArena arena = TensorArena.create(source, 0, 4 * trace.livePeakByteSize())) {
            TraceReplay.inOrder(trace, new ArenaReplayTarget(arena, trace.allocationCount()));
            TraceReplay.concurrently(trace, new ArenaReplayTarget(arena, trace.allocationCount()));
            assertTrue(arena.isConsistent());
            assertEquals(0, arena.statistics().liveCount());
            assertEquals(2L * trace.allocationCount(), arena.statistics().allocationCount());
        }
        assertEquals(0, source.heldByteSize());
    }
}
