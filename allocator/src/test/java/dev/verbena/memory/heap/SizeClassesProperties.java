package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

import dev.verbena.memory.TensorArena;

/** What the table of {@link SizeClasses} promises, for every size. */
class SizeClassesProperties {
    @Example
    void everySmallSizeGetsTheSmallestSlotThatHoldsIt() {
        for (long byteSize = 0; byteSize <= SizeClasses.SLOT_BYTE_SIZE_MAX; byteSize++) {
            int index = SizeClasses.indexOf(byteSize);
            long slot = SizeClasses.slotByteSize(index);
            assertTrue(slot >= byteSize, "byteSize=" + byteSize);
            assertTrue(index == 0 || SizeClasses.slotByteSize(index - 1) < byteSize, "byteSize=" + byteSize);
            long aligned = Math.ceilDiv(Math.max(byteSize, 1), 64) * 64;
            assertTrue((slot - aligned) * 8 <= aligned, "byteSize=" + byteSize + " slot=" + slot);
            assertTrue(byteSize <= 1024 || (slot - byteSize) * 8 <= byteSize, "byteSize=" + byteSize + " slot=" + slot);
        }
    }

    @Example
    void runsAreAlignedNearlyFullAndCountedInOneWord() {
        for (int index = 0; index < SizeClasses.COUNT; index++) {
            int pages = SizeClasses.runPages(index);
            int slots = SizeClasses.slotsIn(index, pages);
            long used = (long) slots * SizeClasses.slotByteSize(index);
            long run = pages * SizeClasses.PAGE_BYTE_SIZE;
            assertEquals(0, SizeClasses.slotByteSize(index) % 64);
            assertTrue(slots >= 1 && slots <= 64);
            assertTrue(used <= run && (run - used) * 32 <= run, "index=" + index);
            assertTrue(SizeClasses.slotsIn(index, SizeClasses.runPagesMin(index)) >= 1);
            assertTrue(pages <= Byte.MAX_VALUE, "the page map leads back that far");
        }
    }

    @Example
    void everySlotIsFoundByItsFirstByteAndNoOther() {
        for (int index = 0; index < SizeClasses.COUNT; index++) {
            long slotByteSize = SizeClasses.slotByteSize(index);
            for (int slot = 0; slot < SizeClasses.SLOTS_MAX; slot++) {
                long offset = slot * slotByteSize;
                assertEquals(slot, SizeClasses.slotAt(index, offset));
                for (long wrong = offset + 1; wrong < offset + slotByteSize; wrong++) {
                    int none = SizeClasses.slotAt(index, wrong);
                    assertTrue(Integer.compareUnsigned(none, SizeClasses.SLOTS_MAX) >= 0, "index=" + index);
                }
            }
        }
    }

    @Property
    void largeSizesAreRoundedToPages(
            @ForAll @LongRange(min = 32 * 1024 + 1, max = Long.MAX_VALUE - 4095) long byteSize) {
        long rounded = TensorArena.reservedByteSize(byteSize);
        assertEquals(rounded, SizeClasses.ceilToPage(byteSize));
        assertTrue(rounded >= byteSize && rounded - byteSize < 4096 && rounded % 4096 == 0);
        assertTrue((rounded - byteSize) / (double) byteSize <= 0.125);
        assertEquals(rounded / 4096, SizeClasses.pagesOf(byteSize));
    }

    @Example
    void sizesThatCannotBeRoundedAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> TensorArena.reservedByteSize(-1));
        assertThrows(IllegalArgumentException.class, () -> TensorArena.reservedByteSize(Long.MAX_VALUE));
        assertThrows(IllegalArgumentException.class, () -> TensorArena.plannedByteSize(1, 1L << 62, 1L << 62));
        assertEquals(1L << 51, SizeClasses.pagesOf(Long.MAX_VALUE));
    }
}
