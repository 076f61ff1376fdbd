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
    @CsvSource({"3000, 1048576", "6000, 1048576", "10000, 524288", "20000, 262144", "60000, 65536", "1000000, 65536"})
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

    @Test
    void aWayThatBecomesSlowerIsSeen() {
        ChunkSize size = new ChunkSize(1L << 30);
        land(size, 50, 3_000);
        land(size, 50, 90_000);
        assertEquals(ChunkSize.MIN, size.byteSize());
    }
}
