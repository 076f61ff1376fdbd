package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scope where the JDK's own or others' code wants an {@link Arena}. */
class ScopeAsArenaTest {
    private static final long MIB = 1024 * 1024;

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 4 * MIB);
    private final IterationScope scope = arena.scope();
    private final List<String> cleaned = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        assertEquals(0, arena.statistics().liveCount());
        assertTrue(arena.isConsistent());
        arena.close();
    }

    @Test
    void itsScopeIsThatOfItsSegments() {
        try (Arena asArena = scope) {
            MemorySegment segment = asArena.allocate(100, 8);
            assertEquals(asArena.scope(), segment.scope());
            assertTrue(asArena.scope().isAlive());
            assertEquals(segment.scope(), scope.allocate(ElementType.INT32, Shape.of(1)).memory().scope());
        }
        assertFalse(scope.scope().isAlive());
    }

    @Test
    void eachIterationHasAScopeOfItsOwn() {
        MemorySegment.Scope first = scope.scope();
        scope.allocate(1);
        scope.reset();
        MemorySegment.Scope second = scope.scope();
        assertFalse(first.isAlive());
        assertTrue(second.isAlive());
        assertNotEquals(first, second);
        assertEquals(second, scope.allocate(1).scope());
        scope.close();
        assertEquals(second, scope.scope());
        assertFalse(second.isAlive());
    }

    @Test
    void likeEveryArenaItIsClosedOnce() {
        scope.close();
        assertThrows(IllegalStateException.class, scope::close);
        assertThrows(IllegalStateException.class, () -> scope.allocate(1, 1));
    }

    @Test
    void whatIsTiedToItEndsWithTheIteration() throws IOException {
        MemorySegment mapped;
        try (FileChannel file = FileChannel.open(folder.resolve("file"), StandardOpenOption.CREATE,
                StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 4096, scope);
        }
        mapped.set(ValueLayout.JAVA_INT, 0, 7);
        MemorySegment.NULL.reinterpret(scope, segment -> cleaned.add("first"));
        scope.reset();
        assertThrows(IllegalStateException.class, () -> mapped.get(ValueLayout.JAVA_INT, 0));
        assertEquals(List.of("first"), cleaned);
        MemorySegment.NULL.reinterpret(scope, segment -> cleaned.add("second"));
        scope.close();
        assertEquals(List.of("first", "second"), cleaned);
    }

    @Test
    void blocksOfAnArenaMayLiveAsLongAsAnIteration() {
        MemorySegment block = arena.segmentAllocator(scope).allocate(100_000);
        assertEquals(1, arena.statistics().liveCount());
        scope.reset();
        assertEquals(0, arena.statistics().liveCount());
        assertFalse(block.scope().isAlive());
        scope.close();
    }

    @Test
    void aCleanupThatThrowsEndsTheIterationNevertheless() {
        for (RuntimeException failure : List.of(new IllegalStateException("state"), new IllegalArgumentException())) {
            MemorySegment segment = scope.allocate(2 * MIB);
            MemorySegment.NULL.reinterpret(scope, ended -> {
                throw failure;
            });
            assertSame(failure, assertThrows(RuntimeException.class, scope::reset));
            assertFalse(segment.scope().isAlive());
            scope.allocate(2 * MIB).fill((byte) 1);
            scope.reset();
            scope.reset();
            assertEquals(0, scope.heldByteSize());
        }
        scope.close();
    }
}
