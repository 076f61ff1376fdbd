package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What leaks is taken, and said; what is pinned, or used by a native call, is not; and nobody reads what is gone. */
class ForcedCloseTest {
    private static final long MIB = 1024 * 1024;
    private static final Duration LONG = Duration.ofDays(1);

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    /** What differs between arenas on a tensor's way. */
    enum Kind {
        ORDINARY, VIEWED, SAMPLED, DEBUG;

        TensorArena create(SlabSource source, long byteSize, long byteSizeMax) {
            ArenaOptions options = ArenaOptions.defaults();
            return switch (this) {
                case ORDINARY -> TensorArena.create(source, byteSize, byteSizeMax, options);
                case VIEWED -> TensorArena.create(source, byteSize, byteSizeMax, options.withViewsEndingWithTensors());
                case SAMPLED -> TensorArena.create(source, byteSize, byteSizeMax, options.withSiteInterval(1));
                case DEBUG -> DebugArena.create(source, byteSize, byteSizeMax);
            };
        }

        boolean knowsSites() {
            return this == SAMPLED || this == DEBUG;
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatLeaksIsTakenAndSaid(Kind kind) throws InterruptedException {
        TensorArena arena = kind.create(source, MIB, 64 * MIB);
        List<Tensor> leaks = new ArrayList<>();
        leaks.add(arena.allocate(ElementType.UINT8, Shape.of(100)));
        leaks.add(arena.allocate(ElementType.UINT8, Shape.of(2 * MIB)));
        leaks.add(arena.allocate(ElementType.UINT8, Shape.of(100), TensorOptions.defaults().withAlignment(65_536)));
        leaks.add(arena.allocate(ElementType.UINT8, Shape.of(100), TensorOptions.defaults().withHeadroomByteSize(16)));
        Thread other = Thread.ofPlatform().start(() -> leaks.add(arena.allocate(ElementType.UINT8, Shape.of(5000))));
        other.join();
        long address = arena.allocateAddress(300_000);
        arena.allocate(ElementType.UINT8, Shape.of(100)).close();
        List<MemorySegment> views = leaks.stream().map(Tensor::memory).toList();
        long live = arena.statistics().liveByteSize();
        LiveReport report = arena.closeForcibly();
        assertEquals(6, report.liveCount());
        assertEquals(live, report.liveByteSize());
        assertEquals(kind.knowsSites() ? 6 : 0, report.sites().stream().mapToLong(SiteUsage::liveCount).sum());
        assertEquals(0, source.heldByteSize());
        for (Tensor tensor : leaks) {
            assertFalse(tensor.isOpen());
            for (Executable use : List.<Executable>of(tensor::memory, tensor::address, tensor::asByteBuffer,
                    tensor::memoryWithHeadroom, tensor::pin, () -> TensorLease.of(tensor),
                    () -> TensorLease.owning(tensor), () -> tensor.reshaped(Shape.of(1)))) {
                assertThrows(IllegalStateException.class, use);
            }
            assertTrue(assertThrows(IllegalStateException.class, tensor::close).getMessage()
                    .contains("closed forcibly"));
        }
        views.forEach(view -> assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 0)));
        assertThrows(RuntimeException.class, () -> arena.freeAddress(address));
        assertThrows(IllegalStateException.class, () -> arena.allocate(ElementType.UINT8, Shape.of(1)));
        assertThrows(IllegalStateException.class, arena::scope);
        assertThrows(IllegalStateException.class, () -> arena.segmentAllocator(Arena.ofAuto()).allocate(1));
        assertEquals(new LiveReport(0, 0, report.siteInterval(), List.of()), arena.closeForcibly());
        arena.close();
    }

    @ParameterizedTest
    @EnumSource
    void scopesEnd(Kind kind) {
        TensorArena arena = kind.create(source, MIB, 64 * MIB);
        IterationScope closed = arena.scope();
        closed.close();
        IterationScope scope = arena.scope();
        Tensor tensor = scope.allocate(ElementType.UINT8, Shape.of(100));
        MemorySegment segment = scope.allocate(2 * MIB);
        assertEquals(0, arena.closeForcibly().liveCount(), "no block of a scope is left");
        assertEquals(0, source.heldByteSize());
        assertThrows(IllegalStateException.class, tensor::memory);
        assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(IllegalStateException.class, () -> scope.allocate(1));
        assertThrows(IllegalStateException.class, scope::close);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsPinnedStaysAndIsWaitedFor(Kind kind) throws Exception {
        TensorArena arena = kind.create(source, MIB, 64 * MIB);
        Tensor bystander = arena.allocate(ElementType.UINT8, Shape.of(100));
        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(100),
                TensorOptions.defaults().withHeadroomByteSize(16));
        TensorLease lease = TensorLease.of(tensor);
        TensorLease second = lease.share();
        tensor.close();
        for (Executable close : List.<Executable>of(arena::closeForcibly, () -> arena.closeForcibly(Duration.ZERO))) {
            String message = assertThrows(IllegalStateException.class, close).getMessage();
            assertTrue(message.contains("pins=2"), message);
        }
        lease.memory().fill((byte) 1);
        lease.close();
        bystander.memory().fill((byte) 2);
        arena.allocate(ElementType.UINT8, Shape.of(1)).close();
        FutureTask<LiveReport> closing = new FutureTask<>(() -> arena.closeForcibly(LONG));
        Thread thread = Thread.ofPlatform().start(closing);
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(thread.isAlive(), "it does not wait");
            Thread.sleep(1);
        }
        assertEquals(1, second.memory().get(ValueLayout.JAVA_BYTE, 99));
        second.close();
        assertEquals(1, closing.get().liveCount(), "the bystander");
        assertEquals(0, source.heldByteSize());
        assertFalse(bystander.isOpen());
    }

    @Test
    void viewsOfTensorsAndTensorsOfScopesPinToo() {
        TensorArena arena = TensorArena.create(source, MIB, MIB);
        Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(4));
        try (TensorView view = TensorView.of(tensor, tensor.layout())) {
            assertThrows(IllegalStateException.class, arena::closeForcibly);
            assertEquals(view.shape(), tensor.shape());
            assertTrue(tensor.isOpen());
        }
        IterationScope scope = arena.scope();
        Tensor inScope = scope.allocate(ElementType.INT32, Shape.of(4));
        TensorLease lease = TensorLease.of(inScope);
        assertThrows(IllegalStateException.class, arena::closeForcibly);
        lease.memory().fill((byte) 1);
        assertEquals(16, scope.allocate(16).byteSize());
        lease.close();
        assertEquals(1, arena.closeForcibly().liveCount());
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void segmentsOfALifetimeStayUntilThatEnds() {
        TensorArena arena = TensorArena.create(source, MIB, MIB);
        MemorySegment segment;
        try (Arena lifetime = Arena.ofConfined()) {
            segment = arena.segmentAllocator(lifetime).allocate(100);
            assertThrows(OutOfArenaMemoryException.class, () -> arena.segmentAllocator(lifetime).allocate(2 * MIB));
            String message = assertThrows(IllegalStateException.class, arena::closeForcibly).getMessage();
            assertTrue(message.contains("pins=1"), message);
            segment.fill((byte) 1);
        }
        Arena closed = Arena.ofConfined();
        closed.close();
        assertThrows(IllegalStateException.class, () -> arena.segmentAllocator(closed).allocate(1));
        assertEquals(0, arena.closeForcibly().liveCount());
        assertEquals(0, source.heldByteSize());
    }

    /** A view that a native call uses: of an arena whose views end, of a scope, and of the slab itself. */
    @ParameterizedTest
    @EnumSource
    void aNativeCallIsNotCutOff(Kind kind) {
        TensorArena arena = kind.create(source, MIB, 64 * MIB);
        IterationScope scope = arena.scope();
        MemorySegment segment = scope.allocate(2);
        assertInstanceOf(IllegalStateException.class, NativeCall.during(segment, arena::closeForcibly));
        assertTrue(segment.scope().isAlive());
        scope.close();
        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(2));
        MemorySegment view = tensor.memory();
        Throwable refused = NativeCall.during(view, arena::closeForcibly);
        assertInstanceOf(IllegalStateException.class, refused);
        if (kind == Kind.VIEWED || kind == Kind.DEBUG) {
            assertTrue(tensor.isOpen(), "as before");
            assertEquals(1, arena.closeForcibly().liveCount());
        } else {
            assertTrue(refused.getMessage().contains("; closed forcibly with liveCount=1 liveByteSize=64"),
                    refused::getMessage);
            assertFalse(tensor.isOpen());
            assertTrue(source.heldByteSize() > 0, "the source did not take it");
            arena.close();
        }
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void memoryOfTheCallerIsNotTouchedAfterwards() {
        try (Arena lifetime = Arena.ofShared()) {
            MemorySegment memory = lifetime.allocate(MIB, 4096);
            DebugArena arena = DebugArena.create(GivenSlabSource.of(memory), 0, MIB);
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(100));
            assertEquals(1, arena.closeForcibly().sites().size());
            memory.fill((byte) 3);
            assertThrows(IllegalStateException.class, tensor::close);
            assertEquals(-1, memory.asSlice(1).mismatch(memory.asSlice(0, MIB - 1)));
        }
    }

    @Test
    void aDebugArenaTellsOfAWriteAfterFreeFirst() {
        DebugArena arena = DebugArena.create(source, MIB, MIB);
        arena.allocate(ElementType.UINT8, Shape.of(100));
        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(100));
        MemorySegment behind = MemorySegment.ofAddress(tensor.address()).reinterpret(1);
        tensor.close();
        behind.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
        assertThrows(DamagedMemoryException.class, arena::closeForcibly);
        assertEquals(1, arena.closeForcibly().liveCount());
        assertEquals(0, source.heldByteSize());
    }

    /** Whatever is live, of whichever sizes: as many and as much as the arena counted. */
    @Property(tries = 100)
    void allThatIsLiveGoesBack(@ForAll @Size(max = 80) List<@IntRange(min = 0, max = 200_000) Integer> sizes,
            @ForAll @Size(max = 80) List<@IntRange(min = 0, max = 79) Integer> freed) {
        TensorArena arena = TensorArena.create(source, 100_000, 64 * MIB);
        List<Tensor> tensors = new ArrayList<>();
        sizes.forEach(size -> tensors.add(arena.allocate(ElementType.UINT8, Shape.of(size))));
        freed.stream().distinct().filter(i -> i < tensors.size()).forEach(i -> tensors.get(i).close());
        ArenaStatistics before = arena.statistics();
        LiveReport report = arena.closeForcibly();
        assertEquals(new LiveReport(before.liveCount(), before.liveByteSize(), 0, List.of()), report);
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().slabCount());
        assertEquals(0, source.heldByteSize());
    }

    /** Of several threads' runs and rooms, also what another thread has freed and its owner has not taken back. */
    @ParameterizedTest
    @EnumSource
    void whatSeveralThreadsHaveIsCountedOnce(Kind kind) throws Exception {
        TensorArena arena = kind.create(source, MIB, 512 * MIB);
        ConcurrentLinkedQueue<Tensor> shared = new ConcurrentLinkedQueue<>();
        AtomicLong liveCount = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Random random = new Random(i);
            threads.add(Thread.ofPlatform().start(() -> {
                for (int j = 0; j < 500; j++) {
                    shared.add(
                            arena.allocate(ElementType.UINT8, Shape.of(random.nextInt(1 << 4 + random.nextInt(14)))));
                    liveCount.incrementAndGet();
                    if (random.nextInt(5) < 3) {
                        shared.remove().close();
                        liveCount.decrementAndGet();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        LiveReport report = arena.closeForcibly();
        assertEquals(liveCount.get(), report.liveCount());
        assertEquals(kind.knowsSites() ? liveCount.get() : 0,
                report.sites().stream().mapToLong(SiteUsage::liveCount).sum());
        assertEquals(0, source.heldByteSize());
        assertTrue(arena.isConsistent());
        shared.forEach(tensor -> assertThrows(IllegalStateException.class, tensor::close));
    }

    /** A pin at the same time: either it is there and nothing is freed, or it is refused. */
    @ParameterizedTest
    @EnumSource
    void eitherItIsPinnedOrItIsFreed(Kind kind) throws Exception {
        for (int round = 0; round < 300; round++) {
            TensorArena arena = kind.create(source, 4096 * 16, MIB);
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(8));
            CyclicBarrier start = new CyclicBarrier(2);
            FutureTask<TensorLease> pinning = new FutureTask<>(() -> {
                start.await();
                try {
                    return TensorLease.of(tensor);
                } catch (IllegalStateException refused) {
                    return null;
                }
            });
            Thread.ofPlatform().start(pinning);
            start.await();
            boolean isClosed = isClosedForcibly(arena);
            TensorLease lease = pinning.get();
            assertFalse(isClosed && lease != null, "freed while it is pinned");
            if (lease != null) {
                lease.memory().fill((byte) 1);
                lease.close();
            }
            arena.closeForcibly();
            assertEquals(0, source.heldByteSize());
        }
    }

    private static boolean isClosedForcibly(TensorArena arena) {
        try {
            return arena.closeForcibly() != null;
        } catch (IllegalStateException pinned) {
            return false;
        }
    }

    /** Who is at work meanwhile is refused at some time, and touches nothing that is gone. */
    @ParameterizedTest
    @EnumSource
    void threadsAtWorkAreRefused(Kind kind) throws InterruptedException {
        for (int round = 0; round < 5; round++) {
            TensorArena arena = kind.create(source, MIB, 64 * MIB);
            List<Thread> threads = new ArrayList<>();
            AtomicLong done = new AtomicLong();
            List<Throwable> refusals = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int byteSize = 1 << 4 * i + 4;
                threads.add(Thread.ofPlatform().start(() -> {
                    Throwable refused = null;
                    while (refused == null) {
                        try {
                            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(byteSize));
                            tensor.memory().fill((byte) 1);
                            tensor.close();
                            done.incrementAndGet();
                        } catch (IllegalStateException e) {
                            refused = e;
                        }
                    }
                    synchronized (refusals) {
                        refusals.add(refused);
                    }
                }));
            }
            while (done.get() < 100) {
                Thread.onSpinWait();
            }
            assertNotNull(closeAtLast(arena));
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(4, refusals.size());
            assertNull(arena.closeForcibly().sites().stream().findFirst().orElse(null));
            assertEquals(0, source.heldByteSize());
        }
    }

    /** A thread may have been using a view just then; a slab that was not taken back is offered again. */
    private static LiveReport closeAtLast(TensorArena arena) throws InterruptedException {
        for (;;) {
            try {
                return arena.closeForcibly();
            } catch (IllegalStateException inUse) {
                Thread.sleep(1);
            }
        }
    }
}
