package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.GivenSlabSource;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.SlabOptions;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;

/** Groups of devices in one process, over shared memory. */
@Timeout(300)
class GroupTest {
    private static final Duration TIMEOUT = DeviceRing.TIMEOUT;
    /** Within which threads that were started together have come, on a busy machine too. */
    private static final Duration LATE = Duration.ofSeconds(3);
    private static final GroupOptions SMALL_CHUNKS = GroupOptions.defaults().withChunkByteSize(4096).withDepth(2);
    private static final List<ElementType> TYPES = List.of(ElementType.FLOAT64, ElementType.FLOAT32,
            ElementType.FLOAT16, ElementType.BFLOAT16, ElementType.INT32, ElementType.INT64);
    /** Of short messages, of one chunk, and of many; with empty segments, and with a last one that is short. */
    private static final long[] COUNTS = {0, 1, 2, 3, 5, 7, 16, 507, 508, 509, 1016, 1017, 2032, 2033, 4097, 10_007,
            65_537};

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void sumsAndMeansOfEveryTypeAndSizeAreTheSameEverywhere(int size) {
        DeviceRing ring = DeviceRing.joined(size, SMALL_CHUNKS);
        try (ring) {
            for (ElementType type : TYPES) {
                for (long count : COUNTS) {
                    reduce(ring, type, count, Reduction.SUM);
                }
            }
            for (ElementType type : TYPES.subList(0, 4)) {
                reduce(ring, type, 3, Reduction.MEAN);
                reduce(ring, type, 5003, Reduction.MEAN);
            }
        }
        ring.closeArenas();
    }

    private static void reduce(DeviceRing ring, ElementType type, long count, Reduction reduction) {
        byte[][] results = new byte[ring.size()][];
        double[][] inputs = new double[ring.size()][];
        ring.all(rank -> {
            Random random = new Random(31 * count + rank);
            inputs[rank] = random.doubles(count, -8, 8).map(x -> Numbers.rounded(type, x)).toArray();
            try (Tensor tensor = ring.arenas.get(rank).allocate(type, Shape.of(count))) {
                Numbers.write(tensor, inputs[rank]);
                ring.groups.get(rank).allReduce(tensor, reduction, TIMEOUT);
                results[rank] = tensor.memory().toArray(ValueLayout.JAVA_BYTE);
            }
        });
        for (byte[] result : results) {
            assertArrayEquals(results[0], result, () -> type + "[" + count + "] differs between ranks");
        }
        checkSum(type, inputs, results[0], reduction);
    }

    /** Whatever the order, each addition is wrong by half a unit in the last place at most, of what may be 8 times the members. */
    private static void checkSum(ElementType type, double[][] inputs, byte[] result, Reduction reduction) {
        double[] sums = Numbers.read(type, MemorySegment.ofArray(result));
        for (int i = 0; i < sums.length; i++) {
            double exact = 0;
            for (double[] input : inputs) {
                exact += input[i];
            }
            double expected = reduction == Reduction.MEAN ? exact / inputs.length : exact;
            assertEquals(expected, sums[i], Numbers.unit(type) * 8 * inputs.length * inputs.length,
                    type + " element " + i + " of " + sums.length);
        }
    }

    /** Also if the peer, which has left it alone, is gone with its device meanwhile. */
    @Test
    void aClosedGroupHoldsNothing() {
        for (int round = 0; round < 100; round++) {
            try (DeviceRing ring = DeviceRing.joined(2, SMALL_CHUNKS)) {
                ring.all(rank -> {
                    ring.groups.get(rank).close();
                    ring.arenas.get(rank).close();
                    ring.devices.get(rank).close();
                });
            }
        }
    }

    /** In the order of ranks, each sum rounded. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void smallOnesAreSummedInTheOrderOfRanks(int size) {
        try (DeviceRing ring = DeviceRing.joined(size, SMALL_CHUNKS)) {
            float[] terms = {1e8f, 1.5f, -1e8f, 3.25f, 1e-3f};
            float expected = terms[0];
            for (int rank = 1; rank < size; rank++) {
                expected += terms[rank];
            }
            float sum = expected;
            ring.all(rank -> {
                try (Tensor tensor = ring.arenas.get(rank).allocate(ElementType.FLOAT32, Shape.of(1))) {
                    tensor.memory().set(ValueLayout.JAVA_FLOAT, 0, terms[rank]);
                    ring.groups.get(rank).allReduce(tensor, Reduction.SUM, TIMEOUT);
                    assertEquals(sum, tensor.memory().get(ValueLayout.JAVA_FLOAT, 0));
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void everyRootBroadcastsWhatItHas(int size) {
        DeviceRing ring = DeviceRing.joined(size, SMALL_CHUNKS);
        try (ring) {
            for (long count : COUNTS) {
                for (int root = 0; root < size; root++) {
                    int from = root;
                    ring.all(rank -> {
                        try (Tensor tensor = ring.arenas.get(rank).allocate(ElementType.UINT8, Shape.of(count))) {
                            tensor.memory().fill((byte) rank);
                            ring.groups.get(rank).broadcast(tensor, from, TIMEOUT);
                            byte[] expected = new byte[(int) count];
                            Arrays.fill(expected, (byte) from);
                            assertArrayEquals(expected, tensor.memory().toArray(ValueLayout.JAVA_BYTE));
                        }
                    });
                }
            }
        }
        ring.closeArenas();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void bytesOfAnyLengthAreGatheredByRank(int size) {
        try (DeviceRing ring = DeviceRing.joined(size, SMALL_CHUNKS)) {
            for (int length : new int[]{0, 1, 4063, 4064, 4065, 20_000}) {
                ring.all(rank -> {
                    List<byte[]> gathered = ring.groups.get(rank).allGather(given(rank, length), TIMEOUT);
                    assertEquals(ring.size(), gathered.size());
                    for (int other = 0; other < ring.size(); other++) {
                        assertArrayEquals(given(other, length), gathered.get(other));
                    }
                });
            }
        }
    }

    private static byte[] given(int rank, int length) {
        byte[] bytes = new byte[rank == 1 ? length / 3 : length];
        new Random(rank).nextBytes(bytes);
        return bytes;
    }

    /** What is offered without waiting is done in the order of the calls: each broadcast takes up what was reduced before. */
    @Test
    void operationsGoInTheOrderOffered() {
        try (DeviceRing ring = DeviceRing.joined(3, SMALL_CHUNKS)) {
            ring.all(rank -> {
                Group group = ring.groups.get(rank);
                try (Tensor tensor = ring.arenas.get(rank).allocate(ElementType.INT64, Shape.of(3001))) {
                    Numbers.fill(tensor, rank + 1);
                    List<CompletableFuture<?>> stages = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        stages.add(group.allReduceAsync(tensor, Reduction.SUM, TIMEOUT).toCompletableFuture());
                        stages.add(group.barrierAsync(TIMEOUT).toCompletableFuture());
                        stages.add(group.broadcastAsync(tensor, i % 3, TIMEOUT).toCompletableFuture());
                    }
                    CompletableFuture<List<byte[]>> gathered = group.allGatherAsync(new byte[]{(byte) rank}, TIMEOUT)
                            .toCompletableFuture();
                    stages.forEach(CompletableFuture::join);
                    // 1 + 2 + 3, then three times as much each time.
                    assertEquals(6 * 3 * 3 * 3, tensor.memory().getAtIndex(ValueLayout.JAVA_LONG, 3000));
                    assertEquals(2, gathered.join().get(2)[0]);
                }
            });
        }
    }

    @Test
    void aTensorThatIsNotRegisteredIsCopiedOnceAndBack() {
        try (DeviceRing ring = DeviceRing.joined(2, GroupOptions.defaults())) {
            long[] copied = new long[2];
            ring.all(rank -> {
                try (TensorArena ordinary = TensorArena.create(new OffHeapSlabSource(), 1 << 20, 1 << 20);
                        Tensor tensor = ordinary.allocate(ElementType.FLOAT32, Shape.of(10_000))) {
                    Numbers.fill(tensor, rank + 1);
                    long before = ring.devices.get(rank).statistics().copiedByteSize();
                    ring.groups.get(rank).allReduce(tensor, Reduction.SUM, TIMEOUT);
                    copied[rank] = ring.devices.get(rank).statistics().copiedByteSize() - before;
                    assertEquals(3, tensor.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 9_999));
                }
            });
            assertArrayEquals(new long[]{80_000, 80_000}, copied);
        }
    }

    /** It gets all through its slots, and the others write to each other's tensors. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aTensorThatPeersMayNotWriteToIsReducedToo(int size) {
        try (DeviceRing ring = DeviceRing.joined(size, SMALL_CHUNKS)) {
            float[] sums = new float[size];
            ring.all(rank -> {
                Set<AccessRight> rights = rank == 1 ? Set.of(AccessRight.LOCAL_WRITE)
                        : Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
                try (MemoryRegion region = ring.devices.get(rank).allocateRegion(1 << 20, rights,
                        SlabOptions.defaults());
                        TensorArena arena = TensorArena.create(new GivenSlabSource(region), 1 << 20, 1 << 20);
                        Tensor tensor = arena.allocate(ElementType.FLOAT32, Shape.of(50_000))) {
                    Numbers.fill(tensor, rank + 1);
                    ring.groups.get(rank).allReduce(tensor, Reduction.SUM, TIMEOUT);
                    sums[rank] = (float) Arrays.stream(Numbers.read(ElementType.FLOAT32, tensor.memory())).sum();
                }
            });
            for (float sum : sums) {
                assertEquals(50_000F * size * (size + 1) / 2, sum);
            }
        }
    }

    /** Where the fabric maps it, half of a tensor is read by the other member, and half of it, complete, is written there. */
    @Test
    void whatIsAddedIsNotSent() {
        try (DeviceRing ring = DeviceRing.joined(2, GroupOptions.defaults())) {
            long[] moved = new long[2];
            long[] told = new long[2];
            ring.all(rank -> {
                try (Tensor tensor = ring.arenas.get(rank).allocate(ElementType.FLOAT32, Shape.of(1 << 18))) {
                    Numbers.fill(tensor, rank + 1);
                    TransferStatistics before = sent(ring, rank);
                    ring.groups.get(rank).allReduce(tensor, Reduction.SUM, TIMEOUT);
                    TransferStatistics after = sent(ring, rank);
                    moved[rank] = after.fabricByteSize() - before.fabricByteSize();
                    told[rank] = after.byteSize() - before.byteSize();
                    assertEquals(3, tensor.memory().getAtIndex(ValueLayout.JAVA_FLOAT, (1 << 18) - 1));
                }
            });
            long header = 56;
            assertArrayEquals(new long[]{header + (1 << 19), header + (1 << 19)}, moved);
            assertArrayEquals(new long[]{header + (1 << 20), header + (1 << 20)}, told);
        }
    }

    private static TransferStatistics sent(DeviceRing ring, int rank) {
        return ring.devices.get(rank).transferStatistics().stream()
                .filter(each -> !each.receives() && each.name().equals("group 'ring' " + rank + ">" + (1 - rank)))
                .findFirst().orElseThrow();
    }

    /** Each tensor lies in a region of its own, which its member deregisters when it is through; the next member keeps but some of them mapped. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void regionsComeAndGo(int size) {
        try (DeviceRing ring = DeviceRing.joined(size, SMALL_CHUNKS)) {
            for (int i = 0; i < 40; i++) {
                int seed = i;
                ring.all(rank -> {
                    try (TensorArena arena = TensorArena.create(ring.devices.get(rank).slabSource(), 1 << 18, 1 << 18);
                            Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(5_000))) {
                        for (int j = 0; j < 5_000; j++) {
                            tensor.memory().setAtIndex(ValueLayout.JAVA_INT, j, seed + j + rank);
                        }
                        ring.groups.get(rank).allReduce(tensor, Reduction.SUM, TIMEOUT);
                        for (int j = 0; j < 5_000; j++) {
                            assertEquals(size * (seed + j) + size * (size - 1) / 2,
                                    tensor.memory().getAtIndex(ValueLayout.JAVA_INT, j));
                        }
                    }
                });
            }
        }
    }

    /** Who has not heard of the failure may be writing to it. */
    @Test
    void aTensorOfWhichAReductionFailsIsNotUsedAnewBeforeTheGroupIsClosed() {
        try (DeviceRing ring = DeviceRing.joined(2, SMALL_CHUNKS)) {
            TensorArena arena = ring.arenas.getFirst();
            Tensor tensor = arena.allocate(ElementType.FLOAT32, Shape.of(65_537));
            long byteSize = tensor.byteSize();
            assertThrows(TransferException.class,
                    () -> ring.groups.getFirst().allReduce(tensor, Reduction.SUM, Duration.ofMillis(50)));
            tensor.close();
            long kept = arena.statistics().liveByteSize();
            assertTrue(kept >= byteSize, () -> "kept=" + kept);
            ring.all(rank -> ring.groups.get(rank).close());
            long left = arena.statistics().liveByteSize();
            assertTrue(left <= kept - byteSize, () -> "kept=" + kept + " left=" + left);
        }
    }

    // ---- what does not fit together ----

    @Test
    void differentCountsTypesAndOperationsAreErrorsOfAll() {
        assertAllFail("ALL_REDUCE",
                (group, rank, arena) -> reduce(group, arena, ElementType.FLOAT32, rank == 1 ? 7 : 8));
        assertAllFail("ALL_REDUCE",
                (group, rank, arena) -> reduce(group, arena, ElementType.FLOAT32, rank == 1 ? 7_000 : 8_000));
        assertAllFail("ALL_REDUCE",
                (group, rank, arena) -> reduce(group, arena, ElementType.FLOAT32, rank == 2 ? 7 : 8_000));
        assertAllFail("INT32", (group, rank, arena) -> reduce(group, arena,
                rank == 0 ? ElementType.INT32 : ElementType.FLOAT32, 9_000));
        assertAllFail("BARRIER", (group, rank, arena) -> {
            if (rank == 2) {
                group.barrier(TIMEOUT);
            } else {
                reduce(group, arena, ElementType.FLOAT32, 100_000);
            }
        });
    }

    private interface Doing {
        void with(Group group, int rank, TensorArena arena);
    }

    private static void reduce(Group group, TensorArena arena, ElementType type, long count) {
        try (Tensor tensor = arena.allocate(type, Shape.of(count))) {
            group.allReduce(tensor, Reduction.SUM, TIMEOUT);
        }
    }

    private static void assertAllFail(String word, Doing doing) {
        DeviceRing ring = DeviceRing.joined(3, SMALL_CHUNKS);
        try (ring) {
            for (Throwable each : ring.outcomes(
                    rank -> doing.with(ring.groups.get(rank), rank, ring.arenas.get(rank)))) {
                TransferException failure = assertInstanceOf(TransferException.class, each);
                assertTrue(failure.getMessage().contains("offers ") && failure.getMessage().contains(word),
                        failure.getMessage());
            }
            for (Throwable each : ring.outcomes(rank -> ring.groups.get(rank).barrier(TIMEOUT))) {
                assertInstanceOf(TransferException.class, each, "it has failed, and stays so");
            }
        }
        ring.closeArenas();
    }

    @Test
    void aMemberThatIsLateIsNamedAtAllOthers() {
        DeviceRing ring = DeviceRing.joined(3, SMALL_CHUNKS);
        try (ring) {
            List<Throwable> outcomes = ring.outcomes(rank -> {
                if (rank != 1) {
                    ring.groups.get(rank).barrier(LATE);
                }
            });
            assertTrue(outcomes.get(0).getMessage().contains("rank 1"), outcomes.get(0)::getMessage);
            assertTrue(outcomes.get(2).getMessage().contains("rank 1"), outcomes.get(2)::getMessage);
        }
        ring.closeArenas();
    }

    @Test
    void aMemberThatLeavesOrIsLostIsNamedAtAllOthers() {
        for (boolean isLost : new boolean[]{false, true}) {
            DeviceRing ring = DeviceRing.joined(3, SMALL_CHUNKS);
            try (ring) {
                List<Throwable> outcomes = ring.outcomes(rank -> {
                    if (rank != 1) {
                        ring.groups.get(rank).barrier(TIMEOUT);
                    } else if (isLost) {
                        ring.devices.get(rank).abort("enough");
                    } else {
                        ring.groups.get(rank).close();
                    }
                });
                for (int rank : new int[]{0, 2}) {
                    String said = assertInstanceOf(TransferException.class, outcomes.get(rank)).getMessage();
                    assertTrue(said.contains("rank 1"), said);
                }
            }
            ring.closeArenas();
        }
    }

    /** Who is through may leave, though others are not through yet. */
    @Test
    void leavingAfterwardsDisturbsNobody() {
        for (int round = 0; round < 10; round++) {
            DeviceRing ring = DeviceRing.joined(3, SMALL_CHUNKS);
            try (ring) {
                ring.all(rank -> {
                    try (Tensor tensor = ring.arenas.get(rank).allocate(ElementType.INT32, Shape.of(30_000))) {
                        Numbers.fill(tensor, rank);
                        ring.groups.get(rank).allReduce(tensor, Reduction.SUM, TIMEOUT);
                        ring.groups.get(rank).broadcast(tensor, 0, TIMEOUT);
                        ring.groups.get(rank).close();
                        assertEquals(3, tensor.memory().getAtIndex(ValueLayout.JAVA_INT, 29_999));
                    }
                });
            }
            ring.closeArenas();
        }
    }

    @Test
    void aMemberThatIsMissingIsNamed() {
        try (DeviceRing ring = new DeviceRing(2, RdmaDeviceOptions.defaults());
                Group alone = ring.devices.get(0).group("g", 0, ring.endpoints(), ring.arenas.get(0), SMALL_CHUNKS)) {
            TransferException failure = assertThrows(TransferException.class, () -> alone.join(Duration.ofMillis(200)));
            assertTrue(failure.getMessage().contains("rank 1") && failure.getMessage().contains("has not joined"),
                    failure.getMessage());
        }
    }

    @Test
    void whatCannotBeIsRefused() {
        try (DeviceRing ring = DeviceRing.joined(2, SMALL_CHUNKS)) {
            RdmaDevice device = ring.devices.get(0);
            TensorArena arena = ring.arenas.get(0);
            List<Endpoint> members = ring.endpoints();
            assertRefused("is not this device", () -> device.group("g", 1, members, arena, SMALL_CHUNKS));
            assertRefused("rank=2", () -> device.group("g", 2, members, arena, SMALL_CHUNKS));
            assertRefused("twice", () -> device.group("g", 0, List.of(members.get(0), members.get(0)), arena,
                    SMALL_CHUNKS));
            assertRefused("exists already", () -> device.group("ring", 0, members, arena, SMALL_CHUNKS));
            assertRefused("chunkByteSize=100", () -> SMALL_CHUNKS.withChunkByteSize(100));
            assertRefused("depth=1", () -> SMALL_CHUNKS.withDepth(1));
            try (Tensor bytes = arena.allocate(ElementType.INT8, Shape.of(1));
                    Tensor ints = arena.allocate(ElementType.INT32, Shape.of(1))) {
                Group group = ring.groups.get(0);
                assertRefused("INT8 is not reduced", () -> group.allReduce(bytes, Reduction.SUM, TIMEOUT));
                assertRefused("no MEAN", () -> group.allReduce(ints, Reduction.MEAN, TIMEOUT));
                assertThrows(IndexOutOfBoundsException.class, () -> group.broadcast(ints, 2, TIMEOUT));
            }
        }
    }

    private static void assertRefused(String word, Runnable asking) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, asking::run);
        assertTrue(refusal.getMessage().contains(word), refusal.getMessage());
    }
}
