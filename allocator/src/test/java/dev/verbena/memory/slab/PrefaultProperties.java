package dev.verbena.memory.slab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Prefault;
import dev.verbena.memory.Slab;

class PrefaultProperties {
    private static final int INTS_MAX = (int) (4 * PageCommit.PIECE_BYTE_SIZE / Integer.BYTES);

    @Property(tries = 30)
    void progressGrowsAndEndsAtTheSize(@ForAll @IntRange(min = 1, max = INTS_MAX) int ints,
            @ForAll @IntRange(min = 0, max = 1) int begin, @ForAll @IntRange(min = 1, max = 8) int threads)
            throws InterruptedException {
        OffHeapSlabSource source = new OffHeapSlabSource();
        long byteSize = (long) ints * Integer.BYTES;
        Slab slab = source.acquire(byteSize + Integer.BYTES);
        List<Long> reports = new ArrayList<>();
        Prefault.commit(slab.memory().asSlice(begin * Integer.BYTES, byteSize), threads, (done, total) -> {
            assertEquals(byteSize, total);
            reports.add(done);
        });
        source.release(slab);
        assertEquals(Math.ceilDiv(byteSize, PageCommit.PIECE_BYTE_SIZE), reports.size());
        assertEquals(byteSize, reports.getLast());
        for (int i = 1; i < reports.size(); i++) {
            assertTrue(reports.get(i) > reports.get(i - 1), reports::toString);
        }
    }
}
