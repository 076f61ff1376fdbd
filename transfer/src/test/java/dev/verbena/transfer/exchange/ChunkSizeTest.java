package dev.verbena.transfer.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chunks take about as long as they are to take, whatever the way. */
class ChunkSizeTest {
    private static void land(ChunkSize size, int chunks, long nsOfMin) {
        long nowNs = 0;
        for (int i = 0; i < chunks; i++) {
            long byteSize = size.byteSize();
            long postedNs = nowNs - 1;
            nowNs += nsOfMin * byteSize / ChunkSize.MIN;
            size.onLanded(byteSize, postedNs, nowNs);
        }
    }

    @ParameterizedTest
    @CsvSource({"12000, 4194304", "24000, 2097152", "40000, 1048576", "80000, 524288", "400000, 131072",
            "600000, 65536",
            "4000000, 65536"})
    void theyFollowTheWay(long nsOfMin, long byteSize) {
        ChunkSize size = new ChunkSize(1L << 30);
        land(size, 50, nsOfMin);
        assertEquals(byteSize, size.byteSize());
    }

    @Test
    void theyAreNeverLargerThanAMessage() {
        ChunkSize size = new ChunkSize(100_000);
        assertEquals(100_000, size.byteSize());
        land(size, 50, 1);
        assertEquals(100_000, size.byteSize());
    }

    /** Of what is handed on as it lands. */
    @Test
    void theFirstTwoAreSmallPartsOfALargeTensor() {
        ChunkSize size = new ChunkSize(1L << 30);
        land(size, 50, 3_000);
        assertEquals(512 << 10, size.byteSize(64 << 20, 0));
        assertEquals(512 << 10, size.byteSize(64 << 20, 512 << 10));
        assertEquals(ChunkSize.MAX, size.byteSize(64 << 20, 1 << 20));
        assertEquals(ChunkSize.MIN, size.byteSize(100_000, 0));
        assertEquals(ChunkSize.MAX, size.byteSize(100_000, ChunkSize.MIN));
        assertEquals(ChunkSize.MAX, size.byteSize(1L << 30, 0));
    }

    @Test
    void aWayThatBecomesSlowerIsSeen() {
        ChunkSize size = new ChunkSize(1L << 30);
        land(size, 50, 3_000);
        land(size, 50, 600_000);
        assertEquals(ChunkSize.MIN, size.byteSize());
    }
}
