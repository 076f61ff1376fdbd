package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of {@code docs/guide/lifetimes.md}, run; and a comparison of the two. */
class LifetimesGuideTest {
    private static final int SNIPPETS = 12;

    private final ForeignLibrary foreignLibrary = new ForeignLibrary();
    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 8 << 20, 64 << 20);
    private long usedByteSize;

    @TempDir
    private Path folder;

    @AfterEach
    void close() throws InterruptedException {
        assertEquals(0, arena.statistics().liveCount());
        arena.close(Duration.ofSeconds(5));
    }

    @Test
    void theGuideShowsWhatIsRunHere() throws IOException {
        GuideText guide = GuideText.of("docs/guide/lifetimes.md");
        String source = GuideText.sourceOf(LifetimesGuideTest.class);
        assertEquals(SNIPPETS, guide.snippets().size());
        assertEquals(List.of(), guide.missingIn(source));
        assertEquals(1, guide.missingIn(source.replace("scope.reset();", "scope.clear();")).size());
    }

    @Test
    void aTensor() {
        OffHeapSlabSource source = new OffHeapSlabSource();
        try (TensorArena arena = TensorArena.create(source, 8 << 20, 64 << 20)) {
            Tensor weights = arena.allocate(ElementType.FLOAT32, Shape.of(256, 10));
            weights.memory().setAtIndex(ValueLayout.JAVA_FLOAT, 0, 0.5f);
            weights.close();
        }
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void aViewThatEnds() {
        OffHeapSlabSource source = new OffHeapSlabSource();
        ArenaOptions options = ArenaOptions.defaults().withViewsEndingWithTensors();
        try (TensorArena careful = TensorArena.create(source, 8 << 20, 64 << 20, options)) {
            Tensor tensor = careful.allocate(ElementType.FLOAT32, Shape.of(10));
            MemorySegment view = tensor.memory();
            tensor.close();
            assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_FLOAT, 0));
        }
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void aLongerTensor() {
        Tensor history = arena.allocate(ElementType.FLOAT32, Shape.of(1000));
        Tensor longer = arena.tryResize(history, Shape.of(1008));
        assertEquals(4032, longer.memory().byteSize());
        longer.close();
    }

    @Test
    void anIteration() {
        try (IterationScope scope = arena.scope()) {
            for (int step = 0; step < 3; step++) {
                Tensor activations = scope.allocate(ElementType.FLOAT32, Shape.of(32, 256));
                MemorySegment indices = scope.allocateFrom(ValueLayout.JAVA_INT, 7, 3, 5);
                use(activations, indices);
                scope.reset();
            }
        }
        assertEquals(3 * (32 * 256 * 4 + 12), usedByteSize);
    }

    @Test
    void aScopeAsAnArena() throws IOException {
        Path batches = Files.write(folder.resolve("batches"), new byte[300]);
        try (IterationScope scope = arena.scope()) {
            try (FileChannel file = FileChannel.open(batches)) {
                MemorySegment batch = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size(), scope);
                use(batch, scope.allocate(batch.byteSize(), 64));
            }
            scope.reset();
        }
        assertEquals(600, usedByteSize);
    }

    @Test
    void anEndWithADeadline() throws InterruptedException {
        try (IterationScope scope = arena.scope()) {
            Tensor tensor = scope.allocate(ElementType.FLOAT32, Shape.of(1));
            scope.reset(Duration.ofSeconds(5));
            assertThrows(IllegalStateException.class, tensor::memory);
        }
    }

    @Test
    void severalOwners() {
        TensorLease mine = TensorLease.owning(arena.allocate(ElementType.INT64, Shape.of(1000)));
        TensorLease yours = mine.share();
        mine.close();
        yours.tensor().memory().fill((byte) 0);
        yours.close();
        assertEquals(0, yours.owners());
    }

    @Test
    void aForcedEnd() throws InterruptedException {
        TensorArena careless = TensorArena.create(new OffHeapSlabSource(), 8 << 20, 64 << 20);
        Tensor tensor = careless.allocate(ElementType.UINT8, Shape.of(100));
        List<String> lines = new ArrayList<>();
        Consumer<String> log = lines::add;
        LiveReport leaked = careless.closeForcibly(Duration.ofSeconds(5));
        log.accept("leaked: " + leaked);
        assertEquals(List.of("leaked: liveCount=1 liveByteSize=128"), lines);
        assertThrows(IllegalStateException.class, tensor::close);
    }

    @Test
    void otherPeoplesLibrary() {
        Tensor tensor = arena.allocate(ElementType.INT64, Shape.of(2));
        TensorLease lease = TensorLease.of(tensor);
        Runnable whenDone = lease::release;
        foreignLibrary.consume(lease.address(), lease.byteSize(), whenDone);
        tensor.close();
        assertEquals(16, foreignLibrary.consumedByteSize);
    }

    @Test
    void otherPeoplesAllocator() {
        try (Arena lifetime = Arena.ofConfined()) {
            SegmentAllocator allocator = arena.segmentAllocator(lifetime);
            MemorySegment name = allocator.allocateFrom("gradient");
            MemorySegment page = allocator.allocate(10_000, 4096);
            use(name, page);
        }
        assertEquals(10_009, usedByteSize);
    }

    @Test
    void anAddress() {
        long address = arena.allocateAddress(3 << 20, 2 << 20);
        arena.freeAddress(address);
        assertEquals(0, address % (2 << 20));
    }

    private void use(Tensor tensor, MemorySegment segment) {
        use(tensor.memory(), segment);
    }

    private void use(MemorySegment one, MemorySegment other) {
        assertTrue(one.scope().isAlive() && other.scope().isAlive());
        usedByteSize += one.byteSize() + other.byteSize();
    }

    /** Reads the bytes, then says that it is done. */
    private static final class ForeignLibrary {
        private long consumedByteSize;

        void consume(long address, long byteSize, Runnable whenDone) {
            consumedByteSize += MemorySegment.ofAddress(address).reinterpret(byteSize).byteSize();
            whenDone.run();
        }
    }
}
