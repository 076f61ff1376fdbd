package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;

import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;

/** What one thread writes at each operation lies 128 bytes or more from what another one has. */
class LinesTest {
    private static final long PADDING = LinePadding.BYTE_SIZE;

    @Test
    void nothingIsBesideTheFieldsOfAThreadsHeap() {
        Class<?> padded = SlotHeap.shared(new CentralHeap(new PageRuns(), 1L << 32)).getClass();
        ClassLayout layout = ClassLayout.parseClass(padded);
        Set<String> paddings = Set.of(LinePadding.class.getSimpleName(), padded.getSimpleName());
        int count = 0;
        for (FieldLayout field : layout.fields()) {
            if (!paddings.contains(simpleName(field))) {
                assertTrue(field.offset() >= PADDING, layout::toPrintable);
                assertTrue(field.offset() + field.size() + PADDING <= layout.instanceSize(), layout::toPrintable);
                count++;
            }
        }
        assertTrue(count > 10, layout::toPrintable);
    }

    @Test
    void whoseItIsLiesApartFromWhatTheOwnerWrites() {
        ClassLayout layout = ClassLayout.parseClass(SlotHeap.class);
        long end = 0;
        long begin = Long.MAX_VALUE;
        for (FieldLayout field : layout.fields()) {
            switch (simpleName(field)) {
                case "Ownership" -> end = Math.max(end, field.offset() + field.size());
                case "OwnerLock", "SlotHeap" -> begin = Math.min(begin, field.offset());
                default -> {
                }
            }
        }
        assertTrue(end > 0 && begin >= end + PADDING, layout::toPrintable);
    }

    private static String simpleName(FieldLayout field) {
        return field.classShortName().replaceAll(".*[.$]", "");
    }

    @Test
    void recordsAndBinsAreOnLinesOfTheirOwn() {
        assertEquals(0, RunRecord.BYTE_SIZE % PADDING);
        SlotBins bins = new SlotBins();
        assertEquals(0, bins.of(0) % PADDING);
        assertEquals(0, (bins.of(SizeClasses.COUNT) - bins.of(0)) % PADDING);
    }
}
