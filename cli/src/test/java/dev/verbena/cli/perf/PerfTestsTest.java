package dev.verbena.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every test between two sides: the figures make sense, and the bytes have really moved. */
@Timeout(120)
class PerfTestsTest {
    private static final int WARM_UP = 128;

    @ParameterizedTest
    @CsvSource({"write_bw, 65536, 1", "write_bw, 5000000, 1", "write_bw, 64, 3", "put_bw, 65536, 1",
            "put_bw, 5000000, 1",
            "put_bw, 8, 3", "send_bw, 65536, 1",
            "send_bw, 4096, 2"})
    void whatIsWrittenOrSentIsAtTheServer(String test, int byteSize, int queuePairs) throws Exception {
        try (PerfPair pair = new PerfPair(test, "-n=50", "-s=" + byteSize, "-q=" + queuePairs,
                "--warm-up=" + WARM_UP)) {
            assertNotEquals(-1, pair.clientSends(0, byteSize).mismatch(pair.serverReceives(0, byteSize)));
            BandwidthFigures figures = bandwidth(pair.run(), byteSize, 50L * queuePairs);
            assertTrue(figures.peak() >= figures.average(), figures.toString());
            for (int i = 0; i < queuePairs; i++) {
                assertEquals(-1, pair.clientSends(i, byteSize).mismatch(pair.serverReceives(i, byteSize)), "of " + i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"read_bw", "read_lat"})
    void whatIsReadIsAtTheClient(String test) throws Exception {
        int byteSize = 65_536;
        try (PerfPair pair = new PerfPair(test, "-n=50", "-s=" + byteSize, "--warm-up=" + WARM_UP)) {
            byte[] expected = pair.serverReceives(0, byteSize).toArray(JAVA_BYTE);
            assertNotEquals(-1, pair.clientSends(0, byteSize).mismatch(MemorySegment.ofArray(expected)));
            List<Figures> figures = pair.run();
            assertEquals(1, figures.size());
            assertEquals(-1, pair.clientSends(0, byteSize).mismatch(MemorySegment.ofArray(expected)));
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "64", "4097"})
    void writeLatencyCountsInTheLastByte(int byteSize) throws Exception {
        int count = 300;
        try (PerfPair pair = new PerfPair("write_lat", "-n=" + count, "-s=" + byteSize, "--warm-up=" + WARM_UP)) {
            latency(pair.run(), byteSize, count);
            // The warm-up has a counter of its own, in the last byte of its own smaller messages.
            byte last = (byte) (count);
            assertEquals(last, pair.serverReceives(0, byteSize).get(JAVA_BYTE, byteSize - 1));
            assertEquals(last, pair.client.buffers().byteAcquire(pair.client.buffers().receiveOffset(0) + byteSize
                    - 1));
        }
    }

    @ParameterizedTest
    @CsvSource({"8", "64", "4104"})
    void putLatencyCountsInTheLastByte(int byteSize) throws Exception {
        int count = 300;
        try (PerfPair pair = new PerfPair("put_lat", "-n=" + count, "-s=" + byteSize, "--warm-up=" + WARM_UP)) {
            latency(pair.run(), byteSize, count);
            int bulk = byteSize - Long.BYTES;
            assertEquals(-1, pair.clientSends(0, bulk).mismatch(pair.serverReceives(0, bulk)));
            assertEquals((byte) count, pair.serverReceives(0, byteSize).get(JAVA_BYTE, byteSize - 1));
        }
    }

    @Test
    void sendLatencyMovesTheMessage() throws Exception {
        try (PerfPair pair = new PerfPair("send_lat", "-n=100", "-s=512", "--warm-up=" + WARM_UP)) {
            latency(pair.run(), 512, 100);
            assertEquals(-1, pair.clientSends(0, 512).mismatch(pair.serverReceives(0, 512)));
        }
    }

    @Test
    void everyAtomicAddsOne() throws Exception {
        try (PerfPair pair = new PerfPair("atomic_lat", "-n=200", "--warm-up=0")) {
            MemorySegment word = pair.serverReceives(0, JAVA_LONG.byteSize());
            long before = word.get(JAVA_LONG, 0);
            latency(pair.run(), JAVA_LONG.byteSize(), 200);
            assertEquals(2 * 200, word.get(JAVA_LONG, 0) - before, "rehearsed and measured");
            assertEquals(word.get(JAVA_LONG, 0) - 1, pair.clientSends(0, 8).get(JAVA_LONG, 0), "the old value");
        }
    }

    @ParameterizedTest
    @CsvSource({"write_bw, -l=32 -t=64 -n=320", "write_bw, -l=32 -Q=8 -t=32 -n=320", "write_bw, -Q=7 -n=100 -t=10",
            "send_bw, -Q=100 -n=1000 -t=1", "send_bw, -r=1 -n=64", "read_bw, -l=4 -q=3 -n=64", "write_bw, -n=5 -t=128",
            "write_bw, -N -n=100", "send_lat, -t=128 -Q=3 -n=100", "send_lat, -r=1 -n=100"})
    void queuesOfAllShapes(String test, String options) throws Exception {
        String[] arguments = (test + " -s=64 --warm-up=" + WARM_UP + " " + options).split(" ");
        try (PerfPair pair = new PerfPair(arguments)) {
            List<Figures> figures = pair.run();
            long expected = pair.clientOptions.iterations() * pair.clientOptions.queuePairs();
            if (pair.clientOptions.test().isBandwidth) {
                BandwidthFigures bandwidth = bandwidth(figures, 64, expected);
                assertEquals(options.contains("-N"), bandwidth.peak() == 0, bandwidth.toString());
            } else {
                latency(figures, 64, expected);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = PerfTest.class, names = {"WRITE_BW", "SEND_LAT"})
    void allSizes(PerfTest test) throws Exception {
        try (PerfPair pair = new PerfPair(test.toString(), "-a", "-n=5", "--warm-up=" + WARM_UP)) {
            List<Object> sizes = pair.run().stream().map(each -> each.toMap(false).get("MsgSize")).toList();
            assertEquals(LongStream.rangeClosed(1, 23).mapToObj(i -> (Object) (1L << i)).toList(), sizes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"write_bw", "send_bw", "write_lat"})
    void aDurationBecomesACount(String test) throws Exception {
        try (PerfPair pair = new PerfPair(test, "-D=1", "-s=64", "--warm-up=" + WARM_UP)) {
            long count = (long) pair.run().getFirst().toMap(false).get("n_iterations");
            assertTrue(count >= 5, "messages in about a second: " + count);
        }
    }

    @Test
    void bothSidesOfAPingPongMeasure() throws Exception {
        try (PerfPair pair = new PerfPair("write_lat", "-n=100", "--warm-up=0")) {
            Future<List<Figures>> serving = pair.startServer();
            latency(PerfPair.await(pair.startClient()), 2, 100);
            latency(PerfPair.await(serving), 2, 100);
        }
    }

    private static BandwidthFigures bandwidth(List<Figures> all, long byteSize, long iterations) {
        assertEquals(1, all.size());
        BandwidthFigures figures = (BandwidthFigures) all.getFirst();
        assertEquals(byteSize, figures.byteSize());
        assertEquals(iterations, figures.iterations());
        assertTrue(figures.average() > 0, figures.toString());
        assertEquals(figures.average(), figures.messageRate() * byteSize, 1e-6 * figures.average());
        return figures;
    }

    private static void latency(List<Figures> all, long byteSize, long iterations) {
        assertEquals(1, all.size());
        LatencyFigures figures = (LatencyFigures) all.getFirst();
        String what = figures.toString();
        assertEquals(byteSize, figures.byteSize());
        assertEquals(iterations, figures.iterations());
        assertTrue(figures.min() > 0, what);
        assertTrue(figures.min() <= figures.typical() && figures.typical() <= figures.percentile99(), what);
        assertTrue(figures.percentile99() <= figures.percentile999() && figures.percentile999() <= figures.max(), what);
        assertTrue(figures.min() <= figures.average() && figures.average() <= figures.max(), what);
    }
}
