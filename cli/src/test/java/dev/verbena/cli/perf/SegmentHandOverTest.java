package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every segment is taken whole, also where there are fewer places than sources. */
class SegmentHandOverTest {
    private static final int SOURCES = 3;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void theLastNumbersAreInTheTargets(int targetCount) {
        long byteSize = 100;
        long count = 1000;
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> sources = segments(arena, SOURCES, byteSize);
            sources.forEach(source -> source.fill((byte) 7));
            List<MemorySegment> targets = segments(arena, targetCount, byteSize);
            assertTrue(new SegmentHandOver(sources, targets).run(count) > 0);
            for (long number = count - targetCount; number < count; number++) {
                MemorySegment target = targets.get((int) (number % targetCount));
                assertEquals(number, target.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
                assertEquals(7, target.get(ValueLayout.JAVA_BYTE, byteSize / 2));
                assertEquals(number, target.get(ValueLayout.JAVA_LONG_UNALIGNED, byteSize - Long.BYTES));
            }
        }
    }

    private static List<MemorySegment> segments(Arena arena, int count, long byteSize) {
        return IntStream.range(0, count).mapToObj(i -> arena.allocate(byteSize)).toList();
    }
}
