package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.junit.jupiter.api.Test;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.TensorArena;

/** Sizes are long: a column of 3 GiB, all of which Arrow sets to zeros. */
class LargeBufferTest {
    private static final long GIB = 1L << 30;
    private static final int ROWS = (int) (3 * GIB / Long.BYTES);

    @Test
    void aColumnOfThreeGibibytes() throws IOException {
        String memory = Files.readString(Path.of("/proc/meminfo")).replaceAll("(?s).*MemAvailable: *([0-9]+) kB.*",
                "$1");
        assumeTrue(Long.parseLong(memory) >= 8L << 20, "needs 8 GiB of memory, has " + memory + " KiB");
        OffHeapSlabSource source = new OffHeapSlabSource();
        try (TensorArena arena = TensorArena.create(source, 0, 5 * GIB)) {
            try (BufferAllocator allocator = new RootAllocator(
                    RootAllocator.configBuilder().roundingPolicy(ArenaRoundingPolicy.INSTANCE)
                            .allocationManagerFactory(VerbenaAllocationManager.factory(arena)).build());
                    BigIntVector vector = new BigIntVector("large", allocator)) {
                vector.allocateNew(ROWS);
                for (int row : new int[]{0, ROWS / 3, ROWS - 1}) {
                    vector.set(row, ~row);
                }
                vector.setValueCount(ROWS);
                for (int row : new int[]{0, ROWS / 3, ROWS - 1}) {
                    assertEquals(~row, vector.get(row));
                }
                assertEquals(ROWS - 3, vector.getNullCount());
                ArrowBuf data = vector.getDataBuffer();
                assertEquals(~(ROWS - 1), data.getLong((ROWS - 1L) * Long.BYTES));
                assertTrue(arena.statistics().liveByteSize() >= 3 * GIB, arena::toString);
            }
            assertEquals(0, arena.statistics().liveByteSize());
        }
        assertEquals(0, source.heldByteSize());
    }
}
