package dev.verbena.memory.slab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Prefault;
import dev.verbena.memory.PrefaultListener;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabOptions;

@Timeout(60)
class PrefaultTest {
    private static final long MIB = 1 << 20;
    private static final long GIB = 1 << 30;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final PrefaultListener NOBODY = (done, byteSize) -> {};

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    @AfterEach
    void noThreadIsLeft() {
        assertEquals(0, helperCount());
        assertEquals(0, source.heldByteSize());
    }

    /** The second begins amid a page, which the kernel refuses to populate: its pages are touched. */
    @ParameterizedTest
    @ValueSource(longs = {0, 64})
    void allPagesAreCommittedAndContentsSurvive(long begin) throws Exception {
        Slab slab = source.acquire(3 * PageCommit.PIECE_BYTE_SIZE);
        MemorySegment memory = slab.memory().asSlice(begin, 2 * PageCommit.PIECE_BYTE_SIZE + 8);
        assertEquals(begin == 0 ? 0 : SystemMemory.EINVAL, SystemMemory.populate(memory.asSlice(0, 4)));
        byte[] contents = new byte[100_000];
        new Random(4).nextBytes(contents);
        MemorySegment.copy(contents, 0, memory, ValueLayout.JAVA_BYTE, 12_345, contents.length);
        assertTrue(MemoryMaps.presentPages(memory) < MemoryMaps.pages(memory));
        Prefault.commit(memory, 3, NOBODY);
        assertEquals(MemoryMaps.pages(memory), MemoryMaps.presentPages(memory));
        assertEquals(0, MemoryMaps.presentPages(slab.memory().asSlice(memory.byteSize() + 4 * MIB)));
        assertEquals(-1, memory.asSlice(12_345, contents.length).mismatch(MemorySegment.ofArray(contents)));
        assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 12_344));
        source.release(slab);
    }

    /** Touching must not undo what another thread writes meanwhile. */
    @Test
    void whoUsesTheMemoryMeanwhileLosesNothing() throws Exception {
        Slab slab = source.acquire(MIB);
        MemorySegment memory = slab.memory().asSlice(4, 4096);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong added = new AtomicLong();
        Thread user = Thread.ofPlatform().start(() -> {
            while (!stop.get()) {
                INT.getAndAdd(memory, 0L, 1);
                added.incrementAndGet();
            }
        });
        for (int i = 0; i < 20_000; i++) {
            Prefault.commit(memory, 1, NOBODY);
        }
        stop.set(true);
        user.join();
        assertTrue(added.get() > 0);
        assertEquals(added.intValue(), memory.get(ValueLayout.JAVA_INT, 0));
        source.release(slab);
    }

    @Test
    void aPartOfALargeRegionIsCommittedWhereItIs() throws Exception {
        Slab slab = source.acquire(4 * GIB + 64 * MIB);
        MemorySegment part = slab.memory().asSlice(4 * GIB + 12 * MIB, 40 * MIB);
        AtomicLong last = new AtomicLong();
        Prefault.commit(part, 2, (done, byteSize) -> {
            assertEquals(40 * MIB, byteSize);
            last.set(done);
        });
        assertEquals(40 * MIB, last.get());
        assertEquals(MemoryMaps.pages(part), MemoryMaps.presentPages(part));
        assertEquals(0, MemoryMaps.presentPages(slab.memory().asSlice(12 * MIB, 40 * MIB)), "4 GiB before");
        source.release(slab);
    }

    @Test
    void aSlabCanBeCommittedBeforeItIsHandedOut() throws IOException {
        AtomicLong last = new AtomicLong();
        Slab slab = source.acquire(20 * MIB + 1, SlabOptions.defaults().withPrefaultThreads(2)
                .withPrefaultListener((done, byteSize) -> last.set(done)));
        assertEquals(slab.memory().byteSize(), last.get());
        assertEquals(MemoryMaps.pages(slab.memory()), MemoryMaps.presentPages(slab.memory()));
        source.release(slab);
        Slab lazy = source.acquire(20 * MIB);
        assertEquals(0, MemoryMaps.presentPages(lazy.memory()));
        source.release(lazy);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void anInterruptedAcquireLeavesNothingBehind(int threads) throws IOException {
        Thread caller = Thread.currentThread();
        long before = virtualByteSize();
        AtomicLong calls = new AtomicLong();
        SlabOptions options = SlabOptions.defaults().withPrefaultThreads(threads)
                .withPrefaultListener((done, byteSize) -> {
                    calls.incrementAndGet();
                    caller.interrupt();
                });
        String message = assertThrows(CancellationException.class, () -> source.acquire(GIB, options))
                .getMessage();
        assertTrue(message.contains("byteSize=" + GIB) && message.contains("given back"), message);
        assertTrue(Thread.interrupted(), "who called hears of it");
        assertTrue(threads > 1 || calls.get() == 1, "pieces done: " + calls);
        assertTrue(virtualByteSize() - before < GIB / 2, "the memory went back");
    }

    @Test
    void whatTheListenerThrowsEndsIt() throws IOException {
        IllegalStateException thrown = new IllegalStateException("enough");
        long before = virtualByteSize();
        AtomicLong calls = new AtomicLong();
        SlabOptions options = SlabOptions.defaults().withPrefaultThreads(3).withPrefaultListener((done, byteSize) -> {
            calls.incrementAndGet();
            throw thrown;
        });
        assertSame(thrown, assertThrows(IllegalStateException.class, () -> source.acquire(GIB, options)));
        assertTrue(calls.get() <= 3, "once per thread at most: " + calls);
        assertTrue(virtualByteSize() - before < GIB / 2, "the memory went back");
    }

    @Test
    void memoryOfOneThreadIsCommittedByThatThread() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(2 * PageCommit.PIECE_BYTE_SIZE, 8);
            AtomicLong last = new AtomicLong();
            Prefault.commit(memory, 1, (done, byteSize) -> last.set(done));
            assertEquals(memory.byteSize(), last.get());
            // One of the two pieces is left to the helper, which finds that it must not.
            assertThrows(WrongThreadException.class, () -> Prefault.commit(memory, 2, (done, byteSize) -> {
                while (helperCount() > 0) {
                    Thread.onSpinWait();
                }
            }));
        }
    }

    @Test
    void badRequestsAreRefused() {
        MemorySegment ints = MemorySegment.ofArray(new int[8]);
        assertThrows(IllegalArgumentException.class, () -> Prefault.commit(ints, 1, NOBODY));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64, 8);
            assertThrows(IllegalArgumentException.class, () -> Prefault.commit(memory.asReadOnly(), 1, NOBODY));
            assertThrows(IllegalArgumentException.class, () -> Prefault.commit(memory.asSlice(1, 8), 1, NOBODY));
            assertThrows(IllegalArgumentException.class, () -> Prefault.commit(memory.asSlice(0, 7), 1, NOBODY));
            for (int threads : new int[]{0, -1, 1025}) {
                assertThrows(IllegalArgumentException.class, () -> Prefault.commit(memory, threads, NOBODY));
            }
        }
        for (int threads : new int[]{-1, 1025}) {
            assertThrows(IllegalArgumentException.class, () -> SlabOptions.defaults().withPrefaultThreads(threads));
        }
        assertThrows(NullPointerException.class, () -> SlabOptions.defaults().withPages(null));
        assertThrows(NullPointerException.class, () -> SlabOptions.defaults().withPrefaultListener(null));
    }

    @Test
    void memoryThatIsGoneIsNotTouched() {
        Slab slab = source.acquire(MIB);
        source.release(slab);
        assertThrows(IllegalStateException.class, () -> Prefault.commit(slab.memory(), 1, NOBODY));
    }

    @Test
    void whatTheSystemRefusesIsSaid() throws IOException {
        Slab slab = source.acquire(MIB);
        long address = slab.memory().address();
        source.release(slab);
        assertFalse(MemoryMaps.isMapped(address));
        // A segment of global scope over nothing at all.
        String message = assertThrows(OutOfArenaMemoryException.class,
                () -> Prefault.commit(MemorySegment.ofAddress(address).reinterpret(MIB), 1, NOBODY)).getMessage();
        assertTrue(message.contains("errno=12") && message.contains("MADV_POPULATE_WRITE"), message);
    }

    private static long helperCount() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("verbena-prefault")).count();
    }

    private static long virtualByteSize() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return Long.parseLong(
                    lines.filter(line -> line.startsWith("VmSize:")).findFirst().orElseThrow().replaceAll("\\D", ""))
                    * 1024;
        }
    }
}
