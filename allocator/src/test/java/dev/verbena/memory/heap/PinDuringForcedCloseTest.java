package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.OffHeapSlabSource;

/** A pin that comes just when pins are counted, or a close just before it is: the pin is refused, or it keeps what is live. */
class PinDuringForcedCloseTest {
    private static final long MIB = 1024 * 1024;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final List<Boolean> pinned = new ArrayList<>();
    private int pinAt;
    private int counts;
    private boolean isClosedBeforePin;

    /** Pins right behind the count of that number, or closes right before a pin counts, as another thread might. */
    private final class Interrupted extends PinCount {
        private ArenaBlocks arena;

        @Override
        void add() {
            if (isClosedBeforePin) {
                assertEquals(1, arena.closeForcibly().liveCount());
            }
            super.add();
        }

        @Override
        long get() {
            long count = super.get();
            counts++;
            if (counts == pinAt) {
                pinned.add(arena.tryPin());
            }
            return count;
        }
    }

    @Test
    void aPinBehindTheFirstCountKeepsAll() {
        ArenaBlocks arena = arena(1);
        assertThrows(IllegalStateException.class, arena::closeForcibly);
        assertEquals(List.of(true), pinned);
        assertTrue(arena.isOpen());
        assertEquals(1, arena.statistics().liveCount());
        arena.unpinned();
        assertEquals(1, arena.closeForcibly().liveCount());
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void aPinBehindTheSecondCountIsRefused() {
        ArenaBlocks arena = arena(2);
        assertEquals(1, arena.closeForcibly().liveCount());
        assertEquals(List.of(false), pinned);
        assertFalse(arena.isOpen());
        assertEquals(0, arena.pinCount());
        assertEquals(0, source.heldByteSize());
    }

    /** Who looks whether all ends before he counts has looked too early. */
    @Test
    void aPinThatCountsBehindTheLastLookIsRefused() {
        ArenaBlocks arena = arena(0);
        isClosedBeforePin = true;
        assertFalse(arena.tryPin());
        assertEquals(0, arena.pinCount());
        assertEquals(0, source.heldByteSize());
    }

    private ArenaBlocks arena(int countToPinAt) {
        pinAt = countToPinAt;
        Interrupted pins = new Interrupted();
        ArenaBlocks arena = new ArenaBlocks(source, MIB, MIB, new PageRuns(), pins);
        pins.arena = arena;
        arena.allocate(100, false, null, null);
        return arena;
    }
}
