package dev.verbena.stress.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.stress.Words;

/** What a soak checks fails when it must. */
class ChecksTest {
    private static final long MIB = 1024 * 1024;
    private static final long MARK = 4711;

    private final SplittableRandom random = new SplittableRandom(1);

    @Test
    void everyByteOfASmallBlockIsLookedAt() {
        try (Arena memory = Arena.ofConfined()) {
            long address = memory.allocate(256, 64).address();
            for (int byteSize : new int[]{0, 1, 7, 8, 9, 100, 256}) {
                Pattern.fill(address, byteSize, MARK);
                assertEquals(-1, Pattern.mismatch(address, byteSize, MARK));
                for (int i = 0; i < byteSize; i++) {
                    byte good = Words.getByte(address + i);
                    Words.setByte(address + i, (byte) ~good);
                    assertNotEquals(-1, Pattern.mismatch(address, byteSize, MARK), "byte " + i + " of " + byteSize);
                    Words.setByte(address + i, good);
                }
            }
        }
    }

    @Test
    void everyPageOfALargeBlockIsLookedAt() {
        try (Arena memory = Arena.ofConfined()) {
            long byteSize = 100_000;
            long address = memory.allocate(byteSize, 64).address();
            Pattern.fill(address, byteSize, MARK);
            assertEquals(-1, Pattern.mismatch(address, byteSize, MARK));
            assertNotEquals(-1, Pattern.mismatch(address, byteSize, MARK + 1), "another's mark");
            for (long offset = 0; offset < byteSize; offset += 4096) {
                Words.set(address + offset, 0);
                assertEquals(offset, Pattern.mismatch(address, byteSize, MARK));
                Pattern.fill(address, byteSize, MARK);
            }
            Words.set(address + byteSize - 8, 0);
            assertEquals(byteSize - 8, Pattern.mismatch(address, byteSize, MARK));
        }
    }

    @Test
    void aBlockThatIsLostIsNoticed() {
        OffHeapSlabSource source = new OffHeapSlabSource();
        TestedArena arena = new TestedArena("small", source, MIB, MIB);
        Holding block = Allocation.of(arena, 100, MARK, random);
        arena.checkQuiet();
        assertFalse(arena.tryClose());
        arena.gotBack();
        assertTrue(assertThrows(SoakFailure.class, arena::checkQuiet).getMessage()
                .contains("liveCount=1 but the threads have 0"));
        arena.gave();
        Words.setByte(block.address, (byte) ~Words.getByte(block.address));
        assertThrows(SoakFailure.class, () -> block.free(random));
        Pattern.fill(block.address, block.byteSize, MARK);
        block.free(random);
        assertTrue(arena.tryClose());
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void whatIsNotRefusedIsNoticed() {
        SoakFailure.unlessRefused(() -> {
            throw new IllegalStateException("refused");
        }, () -> "");
        assertThrows(SoakFailure.class, () -> SoakFailure.unlessRefused(() -> {}, () -> ""));
    }

    @Test
    void growthIsNoticed() {
        Footprint before = new Footprint(100 * MIB, 200 * MIB, 10 * MIB);
        before.checkAgainst(new Footprint(141 * MIB, 210 * MIB, 12 * MIB), 0);
        before.checkAgainst(new Footprint(266 * MIB, 200 * MIB, 10 * MIB), 200 * MIB);
        before.checkAgainst(new Footprint(50 * MIB, 100 * MIB, 5 * MIB), 0);
        for (Footprint grown : Set.of(new Footprint(142 * MIB, 200 * MIB, 10 * MIB),
                new Footprint(100 * MIB, 240 * MIB, 10 * MIB), new Footprint(100 * MIB, 200 * MIB, 20 * MIB))) {
            assertThrows(SoakFailure.class, () -> before.checkAgainst(grown, 0), grown::toString);
        }
    }

    @Test
    void everyStepAndSizeComes() {
        Set<Step> seen = EnumSet.noneOf(Step.class);
        long large = 0;
        boolean isZeroSeen = false;
        for (int i = 0; i < 300_000; i++) {
            seen.add(Step.next(random));
            long byteSize = Sizes.next(random);
            large = Math.max(large, byteSize);
            isZeroSeen |= byteSize == 0;
        }
        assertEquals(EnumSet.allOf(Step.class), seen);
        assertTrue(isZeroSeen);
        assertTrue(large > 8 * MIB && large <= Sizes.BYTE_SIZE_MAX, "largest " + large);
    }
}
