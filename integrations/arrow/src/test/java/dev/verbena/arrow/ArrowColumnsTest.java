package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.rounding.DefaultRoundingPolicy;
import org.apache.arrow.memory.rounding.RoundingPolicy;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;

/** Columns of all kinds: where they lie, what is in them, and that nothing stays behind. */
class ArrowColumnsTest {
    private static final long MIB = 1 << 20;

    static List<Arguments> roundingsAndRows() {
        List<Arguments> cases = new ArrayList<>();
        for (RoundingPolicy rounding : List.of(DefaultRoundingPolicy.DEFAULT_ROUNDING_POLICY,
                ArenaRoundingPolicy.INSTANCE)) {
            for (int rows : new int[]{0, 1, 100, 10_000}) {
                cases.add(Arguments.of(rounding, rows));
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("roundingsAndRows")
    void everyBufferLiesInTheArenaAndIsGivenBack(RoundingPolicy rounding, int rows) {
        KnownSlabs source = new KnownSlabs(new OffHeapSlabSource());
        try (TensorArena arena = TensorArena.create(source, MIB, 64 * MIB)) {
            try (BufferAllocator allocator = allocator(arena, rounding)) {
                try (Columns columns = Columns.of(allocator, rows, 5)) {
                    Columns.check(columns.root(), columns.dictionaries(), rows, 5);
                    int buffers = columns.buffers().size();
                    assertTrue(buffers >= (rows == 0 ? 3 : 20), "buffers: " + buffers);
                    columns.buffers().forEach(buffer -> assertTrue(source.has(buffer), buffer::toString));
                    assertTrue(arena.statistics().liveByteSize() >= allocator.getAllocatedMemory());
                }
                assertEquals(0, allocator.getAllocatedMemory());
            }
            assertEquals(0, arena.statistics().liveByteSize());
            assertTrue(arena.isConsistent());
        }
    }

    @Test
    void inMemoryThatADeviceHasRegistered() {
        try (RdmaDevice device = RdmaDevice
                .create(RdmaDeviceOptions.defaults().withFabric("shm").withName("columns"))) {
            KnownSlabs source = new KnownSlabs(device.readableSlabSource());
            try (TensorArena arena = TensorArena.create(source, MIB, 64 * MIB)) {
                try (BufferAllocator allocator = allocator(arena, ArenaRoundingPolicy.INSTANCE);
                        Columns columns = Columns.of(allocator, 1_000, 1)) {
                    Columns.check(columns.root(), columns.dictionaries(), 1_000, 1);
                    for (ArrowBuf buffer : columns.buffers()) {
                        MemoryRegion region = assertInstanceOf(MemoryRegion.class, source.of(buffer));
                        assertTrue(region.rights().contains(AccessRight.REMOTE_READ), buffer::toString);
                    }
                }
                assertEquals(0, arena.statistics().liveByteSize());
            }
        }
    }

    /** A check of the check: Arrow's own memory is none of ours. */
    @Test
    void othersBuffersLieElsewhere() {
        KnownSlabs source = new KnownSlabs(new OffHeapSlabSource());
        try (TensorArena arena = TensorArena.create(source, MIB, MIB);
                BufferAllocator allocator = new RootAllocator();
                Columns columns = Columns.of(allocator, 100, 0)) {
            columns.buffers().forEach(buffer -> assertFalse(source.has(buffer), buffer::toString));
            assertEquals(0, arena.statistics().liveByteSize());
        }
    }

    @Test
    void anotherRootTakesTheBuffersOfABatchAsTheyAre() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 64 * MIB)) {
            try (BufferAllocator allocator = allocator(arena, ArenaRoundingPolicy.INSTANCE);
                    Columns columns = Columns.of(allocator, 1_000, 3);
                    VectorSchemaRoot other = VectorSchemaRoot.create(columns.root().getSchema(), allocator)) {
                long before = allocator.getAllocatedMemory();
                try (ArrowRecordBatch batch = new VectorUnloader(columns.root()).getRecordBatch()) {
                    new VectorLoader(other).load(batch);
                }
                assertEquals(before, allocator.getAllocatedMemory(), "bytes are shared");
                assertEquals(columns.root().getVector("doubles").getDataBuffer().memoryAddress(),
                        other.getVector("doubles").getDataBuffer().memoryAddress());
                Columns.check(other, columns.dictionaries(), 1_000, 3);
                columns.root().clear();
                Columns.check(other, columns.dictionaries(), 1_000, 3);
            }
            assertEquals(0, arena.statistics().liveByteSize());
        }
    }

    @Test
    void aBufferThatMovesToAChildIsFreedByIt() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
                BufferAllocator allocator = allocator(arena, ArenaRoundingPolicy.INSTANCE);
                BufferAllocator child = allocator.newChildAllocator("child", 0, MIB);
                IntVector vector = new IntVector("ints", allocator);
                IntVector moved = new IntVector("moved", child)) {
            vector.allocateNew(1_000);
            vector.set(999, 42);
            vector.setValueCount(1_000);
            long address = vector.getDataBufferAddress();
            vector.makeTransferPair(moved).transfer();
            assertEquals(address, moved.getDataBufferAddress());
            assertEquals(42, moved.get(999));
            assertEquals(allocator.getAllocatedMemory(), child.getAllocatedMemory());
            vector.clear();
            assertEquals(1, arena.statistics().liveCount());
            moved.clear();
            assertEquals(0, arena.statistics().liveCount());
            assertEquals(0, allocator.getAllocatedMemory());
        }
    }

    @Test
    void oneThatIsRetainedStaysUntilTheLastReleases() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
                BufferAllocator allocator = allocator(arena, DefaultRoundingPolicy.DEFAULT_ROUNDING_POLICY)) {
            ArrowBuf buffer = allocator.buffer(1_000);
            ArrowBuf slice = buffer.slice(100, 10);
            assertEquals(buffer.memoryAddress() + 100, slice.memoryAddress());
            slice.getReferenceManager().retain();
            assertFalse(buffer.getReferenceManager().release());
            assertEquals(1, arena.statistics().liveCount());
            assertTrue(slice.getReferenceManager().release());
            assertEquals(0, arena.statistics().liveCount());
            assertEquals(0, allocator.getAllocatedMemory());
        }
    }

    @Test
    void roundingIsArrowsOrTheArenas() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 64 * MIB)) {
            for (long byteSize : new long[]{2, 64, 65, 1_100, 65_537, 9 * MIB + 1, 20 * MIB + 1}) {
                assertEquals(byteSize < 16 * MIB ? Long.highestOneBit(2 * byteSize - 1) : byteSize,
                        capacity(arena, DefaultRoundingPolicy.DEFAULT_ROUNDING_POLICY, byteSize));
                long rounded = capacity(arena, ArenaRoundingPolicy.INSTANCE, byteSize);
                assertEquals(TensorArena.usableByteSize(byteSize), rounded);
                assertTrue(rounded >= byteSize && rounded <= Math.max(byteSize + 63, byteSize * 9 / 8),
                        byteSize + " to " + rounded);
            }
        }
    }

    private static long capacity(TensorArena arena, RoundingPolicy rounding, long byteSize) {
        try (BufferAllocator allocator = allocator(arena, rounding); ArrowBuf buffer = allocator.buffer(byteSize)) {
            assertEquals(buffer.capacity(), allocator.getAllocatedMemory());
            assertEquals(0, buffer.memoryAddress() % 64);
            return buffer.capacity();
        }
    }

    @Test
    void buffersOfNoBytesTakeNothing() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
                BufferAllocator allocator = allocator(arena, ArenaRoundingPolicy.INSTANCE);
                ArrowBuf buffer = allocator.buffer(0)) {
            assertEquals(0, buffer.capacity());
            assertNotEquals(0, buffer.memoryAddress());
            assertEquals(0, arena.statistics().liveCount());
        }
    }

    private static BufferAllocator allocator(TensorArena arena, RoundingPolicy rounding) {
        return new RootAllocator(RootAllocator.configBuilder().roundingPolicy(rounding)
                .allocationManagerFactory(VerbenaAllocationManager.factory(arena)).build());
    }

    /** Remembers the slabs that it has handed out, so that a test can ask which one a buffer lies in. */
    private static final class KnownSlabs implements SlabSource {
        private final SlabSource source;
        private final List<Slab> slabs = new ArrayList<>();

        KnownSlabs(SlabSource source) {
            this.source = source;
        }

        @Override
        public Slab acquire(long byteSize) {
            Slab slab = source.acquire(byteSize);
            slabs.add(slab);
            return slab;
        }

        @Override
        public void release(Slab slab) {
            slabs.remove(slab);
            source.release(slab);
        }

        boolean has(ArrowBuf buffer) {
            return of(buffer) != null;
        }

        /** Which all of its bytes lie in, or null. */
        Slab of(ArrowBuf buffer) {
            for (Slab slab : slabs) {
                MemorySegment memory = slab.memory();
                long offset = buffer.memoryAddress() - memory.address();
                if (offset >= 0 && buffer.capacity() <= memory.byteSize() - offset) {
                    return slab;
                }
            }
            return null;
        }
    }
}
