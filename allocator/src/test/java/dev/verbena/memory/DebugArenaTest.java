package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each mistake is caught, with where it happened; and what is none is not. */
class DebugArenaTest {
    private static final long MIB = 1024 * 1024;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final DebugArena arena = DebugArena.create(source, MIB, 16 * MIB);

    @AfterEach
    void everySlabGoesBack() {
        arena.close();
        assertEquals(0, source.heldByteSize());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 63, 64, 65, 1000, 65_000, 65_536, 300_000})
    void usedAsItShouldBeNothingIsFound(long byteSize) {
        for (int round = 0; round < 100; round++) {
            Tensor tensor = bytes(byteSize);
            assertEquals(0, tensor.address() % 64);
            assertEquals(byteSize, tensor.memory().byteSize());
            assertEquals(tensor.address(), tensor.slab().memory().address() + tensor.slabOffset());
            tensor.memory().fill((byte) round);
            arena.check();
            arena.free(tensor);
        }
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().liveCount());
    }

    @ParameterizedTest
    @CsvSource({"24, 24, behind", "24, 87, behind", "24, 127, behind", "64, 64, behind", "0, 0, behind",
            "300000, 300000, behind", "24, -1, in front of", "24, -64, in front of", "0, -1, in front of"})
    void aWriteOutsideIsCaughtAtTheFreeAndByCheck(long byteSize, long offset, String where) {
        Tensor tensor = bytes(byteSize);
        write(tensor.address() + offset, 0x41);
        String start = "write " + where + " a block: block address=0x" + Long.toHexString(tensor.address())
                + " byteSize=" + byteSize + " byte at offset=" + offset + " is 0x41 instead of 0xfd";
        assertFalse(arena.isConsistent());
        assertDamage(start, assertThrows(DamagedMemoryException.class, arena::check), "DebugArenaTest.bytes");
        assertDamage(start, assertThrows(DamagedMemoryException.class, tensor::close), "DebugArenaTest.bytes",
                "freed first", "DebugArenaTest.aWriteOutside");
        assertDoesNotThrow(arena::check, "told once");
        assertFalse(tensor.isOpen());
    }

    /** What the alignment leaves between the block's begin and the headroom is nobody's. */
    @ParameterizedTest
    @ValueSource(longs = {64, 4096, 65_536})
    void aWriteInFrontOfTheHeadroomIsCaught(long alignment) {
        TensorOptions options = TensorOptions.defaults().withAlignment(alignment).withHeadroomByteSize(24).withZeroed();
        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(100), options);
        long headroom = tensor.address() - 24;
        tensor.memoryWithHeadroom().fill((byte) 1);
        assertDoesNotThrow(arena::check);
        write(headroom - 1, 0x41);
        assertDamage("write in front of a block: block address=0x" + Long.toHexString(headroom)
                + " byteSize=124 byte at offset=-1 is 0x41 instead of 0xfd",
                assertThrows(DamagedMemoryException.class, tensor::close), "DebugArenaTest.aWriteInFront");
    }

    @ParameterizedTest
    @CsvSource({"24, 0", "24, 23", "24, 24", "24, -64", "300000, 299999"})
    void aWriteAfterFreeIsCaughtByCheck(long byteSize, long offset) {
        Tensor tensor = bytes(byteSize);
        long address = tensor.address();
        tensor.close();
        write(address + offset, 0x42);
        assertFalse(arena.isConsistent());
        assertDamage("write after free: block address=0x" + Long.toHexString(address) + " byteSize=" + byteSize
                + " byte at offset=" + offset + " is 0x42 instead of 0xdd",
                assertThrows(DamagedMemoryException.class, arena::check), "DebugArenaTest.bytes", "freed first",
                "DebugArenaTest.aWriteAfterFree");
        write(address + offset, 0xDD);
        assertTrue(arena.isConsistent());
    }

    @Test
    void aWriteAfterFreeIsCaughtWhenTheBlockLeavesQuarantine() {
        long quarantine = 64 * 1024;
        try (DebugArena small = DebugArena.create(source, MIB, MIB,
                DebugOptions.defaults().withQuarantineByteSizeMax(quarantine))) {
            long address = small.allocateAddress(100);
            small.freeAddress(address);
            write(address + 50, 0);
            DamagedMemoryException caught = null;
            int frees = 0;
            while (caught == null && frees++ < 1000) {
                long other = small.allocateAddress(10_000);
                assertNotEquals(address, other);
                try {
                    small.freeAddress(other);
                } catch (DamagedMemoryException e) {
                    caught = e;
                }
            }
            assertNotNull(caught);
            assertDamage("write after free: block address=0x" + Long.toHexString(address), caught, "offset=50");
            assertEquals(quarantine / 10_000 + 1, frees, "it left as soon as there was no room for it any more");
        }
    }

    @Test
    void aWriteAfterFreeIsCaughtAtTheCloseWhichIsDoneNevertheless() {
        DebugArena closing = DebugArena.create(source, MIB, MIB);
        long address = closing.allocateAddress(100);
        closing.freeAddress(address);
        write(address, 1);
        assertThrows(DamagedMemoryException.class, closing::close);
        assertEquals(MIB, source.heldByteSize(), "of the other arena");
        closing.close();
    }

    @Test
    void aWriteAfterFreeIsCaughtByStatistics() {
        long address = arena.allocateAddress(100);
        arena.freeAddress(address);
        write(address, 1);
        assertThrows(DamagedMemoryException.class, arena::statistics);
        assertEquals(0, arena.statistics().liveByteSize());
    }

    @Test
    void whatWasNeverWrittenIsNotANumber() {
        Tensor tensor = arena.allocate(ElementType.FLOAT64, Shape.of(3));
        assertTrue(Double.isNaN(tensor.memory().getAtIndex(ValueLayout.JAVA_DOUBLE, 2)));
        assertTrue(Float.isNaN(tensor.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 5)));
        tensor.close();
    }

    @Test
    void aSegmentDiesWithItsTensor() {
        Tensor tensor = bytes(100);
        Tensor alias = tensor.reshaped(Shape.of(10, 10));
        MemorySegment memory = tensor.memory();
        MemorySegment slice = alias.memory().asSlice(50);
        ByteBuffer buffer = tensor.asByteBuffer();
        memory.set(ValueLayout.JAVA_BYTE, 60, (byte) 7);
        assertEquals(7, slice.get(ValueLayout.JAVA_BYTE, 10));
        tensor.pin();
        tensor.close();
        assertEquals(7, buffer.get(60), "pinned");
        tensor.unpin();
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 60));
        assertThrows(IllegalStateException.class, () -> slice.get(ValueLayout.JAVA_BYTE, 10));
        assertThrows(IllegalStateException.class, () -> buffer.get(60));
    }

    @Test
    void anOrdinaryArenaHasNoneOfThis() {
        try (TensorArena ordinary = TensorArena.create(source, MIB, MIB)) {
            Tensor tensor = ordinary.allocate(ElementType.UINT8, Shape.of(64));
            MemorySegment memory = tensor.memory();
            assertEquals(64, ordinary.statistics().liveByteSize());
            assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 0));
            tensor.close();
            assertEquals(0, memory.get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    @Test
    void aDoubleFreeNamesTheFirst() {
        Tensor tensor = bytes(10);
        free(tensor);
        assertHistory("double free: Tensor", assertThrows(IllegalStateException.class, tensor::close));
        assertHistory("use after free: Tensor", assertThrows(IllegalStateException.class, tensor::memory));
        assertHistory("pin after free: Tensor", assertThrows(IllegalStateException.class, tensor::pin));
    }

    @Test
    void aDoubleFreeByAddressNamesTheFirstAlsoAfterQuarantine() {
        long address = arena.allocateAddress(10);
        free(address);
        assertHistory("double free: block",
                assertThrows(IllegalStateException.class, () -> arena.freeAddress(address)));
        arena.statistics();
        assertHistory("double free: block",
                assertThrows(IllegalStateException.class, () -> arena.freeAddress(address)));
        assertThrows(IllegalArgumentException.class, () -> arena.freeAddress(address + 64));
    }

    @Test
    void aLeakIsReportedBySiteTheMostBytesFirst() {
        Tensor few = bytes(1000);
        Tensor[] many = new Tensor[3];
        for (int i = 0; i < many.length; i++) {
            many[i] = arena.allocate(ElementType.UINT8, Shape.of(500));
        }
        many[0].pin();
        many[0].close();
        String message = assertThrows(IllegalStateException.class, arena::close).getMessage();
        int first = message.indexOf(
                "liveCount=3 liveByteSize=1500 allocated\n    at " + getClass().getName() + ".aLeakIsReported");
        int second = message
                .indexOf("liveCount=1 liveByteSize=1000 allocated\n    at " + getClass().getName() + ".bytes");
        assertTrue(message.contains("liveCount=4 liveByteSize=2500;"), message);
        assertTrue(0 < first && first < second, message);
        assertEquals(3, arena.liveBySite().getFirst().liveCount());
        assertTrue(arena.isConsistent(), "nothing was released");
        many[0].unpin();
        many[1].close();
        many[2].close();
        few.close();
        assertEquals(0, arena.liveBySite().size());
    }

    @Test
    void aLeakBesideADamageTellsOfBoth() {
        Tensor leaked = bytes(10);
        long address = arena.allocateAddress(10);
        arena.freeAddress(address);
        write(address, 1);
        Throwable refusal = assertThrows(IllegalStateException.class, arena::close);
        assertEquals(DamagedMemoryException.class, refusal.getSuppressed()[0].getClass());
        leaked.close();
    }

    @Test
    void guardsCountAgainstTheBudgetAndQuarantineGivesWay() {
        DebugOptions options = DebugOptions.defaults().withQuarantineByteSizeMax(Long.MAX_VALUE);
        long planned = TensorArena.plannedByteSize(1, options.guardedByteSize(100_000),
                options.guardedByteSize(200_000));
        try (DebugArena tight = DebugArena.create(source, planned, planned, options)) {
            for (int round = 0; round < 10; round++) {
                long one = tight.allocateAddress(100_000);
                long other = tight.allocateAddress(200_000);
                assertNull(tight.tryAllocate(ElementType.UINT8, Shape.of(64)));
                tight.freeAddress(one);
                tight.freeAddress(other);
            }
            String message = assertThrows(OutOfArenaMemoryException.class, () -> tight.allocateAddress(planned))
                    .getMessage();
            assertTrue(message.endsWith("in a debug arena, of which the guards take 128 bytes of each block"), message);
            assertThrows(OutOfArenaMemoryException.class, () -> tight.allocateAddress(Long.MAX_VALUE));
        }
    }

    @Test
    void foreignTensorsAreRefused() {
        try (DebugArena other = DebugArena.create(source, MIB, MIB)) {
            Tensor foreign = other.allocate(ElementType.UINT8, Shape.of(1));
            assertFalse(arena.owns(foreign));
            assertTrue(other.owns(foreign));
            assertThrows(IllegalArgumentException.class, () -> arena.free(foreign));
            assertThrows(IllegalArgumentException.class, () -> arena.freeAddress(foreign.address()));
            other.free(foreign);
        }
    }

    @Test
    void aFreeDuringANativeCallIsCaught() {
        Tensor tensor = bytes(10);
        tensor.memory().scope();
        MemorySegment view = tensor.memory();
        Throwable caught = NativeCall.during(view, tensor::close);
        assertTrue(caught instanceof DamagedMemoryException && caught.getMessage().contains("free of a block in use"),
                () -> "caught " + caught);
    }

    /** A device that is closed takes the memory of its arenas with it; they are closed later. */
    @Test
    void memoryThatIsGoneIsNotLookedAt() {
        Slab slab = source.acquire(MIB);
        DebugArena orphaned = DebugArena.create(new SlabSource() {
            @Override
            public Slab acquire(long byteSizeMin) {
                return slab;
            }

            @Override
            public void release(Slab gone) {
                assertEquals(slab, gone);
            }
        }, MIB, MIB);
        long quarantined = orphaned.allocateAddress(100);
        long live = orphaned.allocateAddress(100);
        orphaned.freeAddress(quarantined);
        source.release(slab);
        orphaned.check();
        orphaned.freeAddress(live);
        orphaned.close();
        assertTrue(orphaned.isConsistent());
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 1", "32, 0, 1", "65, 0, 1", "64, -1, 1", "64, 0, 0"})
    void optionsThatMakeNoSenseAreRefused(long guardByteSize, long quarantineByteSizeMax, int siteDepth) {
        assertThrows(IllegalArgumentException.class,
                () -> new DebugOptions(guardByteSize, quarantineByteSizeMax, siteDepth));
    }

    @Test
    void optionsAreTaken() {
        DebugOptions options = DebugOptions.defaults().withGuardByteSize(4096).withQuarantineByteSizeMax(0)
                .withSiteDepth(1);
        try (DebugArena wide = DebugArena.create(source, MIB, MIB, options)) {
            long address = wide.allocateAddress(1);
            write(address + 4000, 1);
            assertEquals(1, wide.liveBySite().getFirst().frames().size());
            assertThrows(DamagedMemoryException.class, () -> wide.freeAddress(address));
            assertEquals(address, wide.allocateAddress(1), "no quarantine: the slot that was freed last");
            wide.freeAddress(address);
        }
    }

    private Tensor bytes(long byteSize) {
        return arena.allocate(ElementType.UINT8, Shape.of(byteSize));
    }

    private static void free(Tensor tensor) {
        tensor.close();
    }

    private void free(long address) {
        arena.freeAddress(address);
    }

    private static void write(long address, int value) {
        MemorySegment.ofAddress(address).reinterpret(1).set(ValueLayout.JAVA_BYTE, 0, (byte) value);
    }

    private void assertHistory(String start, Throwable refused) {
        String message = refused.getMessage();
        assertTrue(message.startsWith(start), message);
        int allocated = message.indexOf("; allocated\n    at " + getClass().getName());
        int freed = message.indexOf("freed first\n    at " + getClass().getName() + ".free(");
        assertTrue(0 < allocated && allocated < freed, message);
    }

    private static void assertDamage(String start, DamagedMemoryException caught, String... parts) {
        String message = caught.getMessage();
        assertTrue(message.startsWith("damaged blocks: 1\n" + start), message);
        for (String part : parts) {
            assertTrue(message.contains(part), part + " is missing: " + message);
        }
    }

    /** Edge: a part of a block could begin where an earlier block had been freed; then its free was refused, and the block leaked. */
    @Test
    void alignedBlocksAreFreedWhereverOthersWere() {
        Random random = new Random(1);
        DebugOptions options = DebugOptions.defaults().withQuarantineByteSizeMax(0);
        try (DebugArena arena = DebugArena.create(source, 0, 64 << 20, options)) {
            List<Long> live = new ArrayList<>();
            for (int i = 0; i < 3_000; i++) {
                if (live.size() > 20 || !live.isEmpty() && random.nextBoolean()) {
                    arena.freeAddress(live.remove(random.nextInt(live.size())));
                } else {
                    long alignment = 1L << random.nextInt(17);
                    long address = arena.allocateAddress(random.nextInt(10_000), alignment);
                    assertEquals(0, address % alignment);
                    live.add(address);
                }
            }
            arena.check();
            live.forEach(arena::freeAddress);
            assertTrue(arena.isConsistent());
        }
    }

    /** Edge: of what a scope or an allocator of segments took, the site began in these. */
    @Test
    void noSiteBeginsInTheAllocatorOrTheJdk() {
        String here = "allocated\n    at " + getClass().getName() + ".noSiteBegins";
        try (IterationScope scope = arena.scope(MIB / 4); Arena lifetime = Arena.ofConfined()) {
            for (Runnable use : List.<Runnable>of(() -> scope.allocate(300_000), () -> scope.allocate(10),
                    () -> scope.allocate(ElementType.UINT8, Shape.of(400_000)),
                    () -> arena.segmentAllocator(lifetime).allocate(ValueLayout.JAVA_LONG, 100),
                    () -> arena.segmentAllocator(lifetime).allocateFrom("verbena"))) {
                use.run();
                for (SiteUsage usage : arena.liveBySite()) {
                    assertTrue(usage.toString().contains(here) || usage.toString().contains("allocated\n    at "
                            + getClass().getName() + ".lambda$noSiteBegins"), usage::toString);
                }
            }
            assertEquals(5, arena.liveBySite().size());
        }
        DebugArena direct = DebugArena.create(source, 0, MIB, DebugOptions.defaults());
        Arena lifetime = Arena.ofConfined();
        long address = direct.segmentAllocator(lifetime).allocate(10).address();
        lifetime.close();
        String message = assertThrows(IllegalStateException.class, () -> direct.freeAddress(address)).getMessage();
        assertTrue(message.contains("freed first\n    at " + getClass().getName()), message);
        direct.close();
    }

    /** Edge: the blocks in front of the damaged one were freed again by each later reset, and those behind it never. */
    @Test
    void aScopeGoesOnAfterADamageThatItsEndReported() {
        IterationScope scope = arena.scope(MIB / 4);
        scope.allocate(300_000);
        MemorySegment damaged = scope.allocate(400_000);
        scope.allocate(500_000);
        scope.reset();
        assertEquals(1_200_000, scope.heldByteSize());
        write(damaged.address() + 400_000, 0x41);
        DamagedMemoryException caught = assertThrows(DamagedMemoryException.class, scope::reset);
        assertDamage("write behind a block: block address=0x" + Long.toHexString(damaged.address()), caught);
        assertEquals(0, scope.heldByteSize());
        scope.reset();
        scope.allocate(300_000);
        write(scope.allocate(400_000).address() - 1, 0x41);
        scope.allocate(500_000);
        assertThrows(DamagedMemoryException.class, scope::close);
        assertThrows(IllegalStateException.class, scope::close, "closed nevertheless");
        assertEquals(0, arena.statistics().liveCount());
    }
}
