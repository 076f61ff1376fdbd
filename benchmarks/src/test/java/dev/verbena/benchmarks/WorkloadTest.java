package dev.verbena.benchmarks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.testing.trace.ShippedTrace;

/** Every subject is given the same, and it is what the table says. */
class WorkloadTest {
    @Test
    void randomReplacementIsTheSameEachTime() {
        Workload workload = Workload.randomReplacement();
        assertArrayEquals(Workload.randomReplacement().calls(), workload.calls());
        assertArrayEquals(Workload.randomReplacement().byteSizes(), workload.byteSizes());
        assertEquals(1000, workload.slotCount());
        assertTrue(IntStream.of(workload.calls()).allMatch(slot -> slot >= 0 && slot < 1000));
        assertEquals(1000, IntStream.of(workload.calls()).distinct().count());
        assertTrue(LongStream.of(workload.byteSizes()).allMatch(size -> size >= 64 && size < 64 * 1024));
        for (long size = 64; size < 64 * 1024; size *= 2) {
            long from = size;
            double share = (double) LongStream.of(workload.byteSizes()).filter(each -> each >= from && each < 2 * from)
                    .count() / workload.byteSizes().length;
            assertEquals(0.1, share, 0.01, "share of " + from);
        }
    }

    @Test
    void blocksOfThreadsAreOfAllSizesAlike() {
        Workload workload = Replacement.LARGE.workload();
        assertArrayEquals(Replacement.LARGE.workload().calls(), workload.calls());
        assertEquals(200, workload.slotCount());
        assertTrue(IntStream.of(workload.calls()).allMatch(slot -> slot >= 0 && slot < 200));
        assertTrue(LongStream.of(workload.byteSizes()).allMatch(size -> size >= 128 << 10 && size <= 2 << 20));
        assertEquals((128 << 10) + (2 << 20), 2 * LongStream.of(workload.byteSizes()).average().orElseThrow(), 30_000);
        assertEquals(8 * workload.regionByteSize(), workload.by(8).regionByteSize());
    }

    @ParameterizedTest
    @EnumSource
    void largeRunsAreLargeAndEndEmpty(ShippedTrace trace) {
        Workload workload = Workload.largeRunsOf(trace);
        BitSet live = new BitSet();
        for (int call : workload.calls()) {
            int slot = call >= 0 ? call : ~call;
            assertEquals(call < 0, live.get(slot));
            live.flip(slot);
        }
        assertTrue(live.isEmpty());
        assertEquals(2 * workload.slotCount(), workload.calls().length);
        assertTrue(LongStream.of(workload.byteSizes()).allMatch(size -> size >= 64 * 1024 && size <= 256 << 20));
    }

    @Test
    void theFileForCIsAsDrawn(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("workload");
        Workload workload = new Workload(2, new int[]{0, 1, ~0, ~1}, new long[]{64, 1L << 40}, 0);
        workload.write(file);
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
        assertEquals(2, bytes.getLong());
        assertEquals(4, bytes.getLong());
        for (int call : workload.calls()) {
            assertEquals(call, bytes.getInt());
        }
        assertEquals(64, bytes.getLong());
        assertEquals(1L << 40, bytes.getLong());
        assertEquals(0, bytes.remaining());
    }
}
