package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.verbena.cli.FailedRunException;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Elements;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.GroupOptions;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.Reduction;

/**
 * A member of the group whose all-reduces are measured: joins, and does size by size what the others do.
 *
 * <p>Threading: confined to the command's thread.
 */
final class AllReduceMember implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    /** Copies and all-reduces are measured so often in turn: on many machines what both take changes together. */
    private static final int TURNS = 5;
    private static final long REHEARSAL_NS_MAX = TimeUnit.SECONDS.toNanos(10);
    /** Slots of chunks and messages, and what else the group has. */
    private static final long GROUP_BYTE_SIZE = 32L << 20;
    private static final int CONTENT_PERIOD = 7;

    private final AllReduceOptions options;
    private final RdmaDevice device;
    private final TensorArena arena;
    private final Group group;
    private final JitActivity jit = new JitActivity();
    private volatile String doing = "waiting for the other members";

    AllReduceMember(AllReduceOptions options) {
        this.options = options;
        device = RdmaDevice.create(options.device());
        try {
            long largest = options.sizes().stream().mapToLong(Long::longValue).max().orElseThrow();
            long arenaByteSize = TensorArena.plannedByteSize(1, largest, largest) + GROUP_BYTE_SIZE;
            arena = TensorArena.create(device.slabSource(), arenaByteSize, 2 * arenaByteSize);
            group = device.group("perf allreduce", options.rank(), options.members(), arena, GroupOptions.defaults());
        } catch (RuntimeException e) {
            device.close();
            throw e;
        }
    }

    String fabricName() {
        return device.fabricName();
    }

    /** What is under way, in words. */
    String doing() {
        return doing;
    }

    /** @throws FailedRunException if a result is wrong, differs from another member's, or the members were not given the same options */
    List<AllReduceFigures> run() {
        group.join(TIMEOUT);
        checkCommon();
        List<AllReduceFigures> figures = new ArrayList<>();
        for (long byteSize : options.sizes()) {
            doing = "measuring all-reduces of " + byteSize + " bytes";
            figures.add(measure(byteSize));
        }
        group.barrier(TIMEOUT);
        return figures;
    }

    private void checkCommon() {
        String own = options.common();
        List<byte[]> all = group.allGather(own.getBytes(StandardCharsets.UTF_8), TIMEOUT);
        for (int rank = 0; rank < all.size(); rank++) {
            String given = new String(all.get(rank), StandardCharsets.UTF_8);
            if (!given.equals(own)) {
                throw new FailedRunException("rank " + rank + " was given " + given + ", this one " + own);
            }
        }
    }

    private AllReduceFigures measure(long byteSize) {
        Shape shape = Shape.of(byteSize / options.type().byteSize(1));
        try (Tensor tensor = arena.allocate(options.type(), shape);
                Tensor other = arena.allocate(options.type(), shape)) {
            check(tensor);
            tensor.memory().fill((byte) 0);
            SegmentCopies copies = new SegmentCopies(List.of(tensor.memory(), other.memory()));
            rehearse(tensor, copies);
            int count = options.rounds(byteSize);
            double[] copied = new double[TURNS];
            long[] instantsNs = new long[count + 1];
            jit.takeMs();
            for (int turn = 0; turn < TURNS; turn++) {
                copied[turn] = copy(copies, byteSize);
                reduce(tensor, instantsNs, count * turn / TURNS, count * (turn + 1) / TURNS);
            }
            long jitMs = jit.takeMs();
            check(tensor);
            Arrays.sort(copied);
            return new AllReduceFigures(group.size(), LatencyFigures.of(byteSize, instantsNs, 1),
                    leastOfAll(copied[TURNS / 2]), jitMs);
        }
    }

    /** Until no member's JIT is busy with it. */
    private void rehearse(Tensor tensor, SegmentCopies copies) {
        int count = options.rehearsals(tensor.byteSize());
        long beginNs = System.nanoTime();
        copy(copies, tensor.byteSize());
        do {
            jit.isBusy();
            reduce(tensor, new long[count + 1], 0, count);
        } while (count > 0 && doesAny(jit.isBusy() && System.nanoTime() - beginNs < REHEARSAL_NS_MAX));
    }

    private boolean doesAny(boolean own) {
        return group.allGather(new byte[]{(byte) (own ? 1 : 0)}, TIMEOUT).stream().anyMatch(each -> each[0] != 0);
    }

    /** What these all-reduces take is added to the instant of the first. */
    private void reduce(Tensor tensor, long[] instantsNs, int first, int end) {
        group.barrier(TIMEOUT);
        long beginNs = System.nanoTime() - instantsNs[first];
        for (int i = first; i < end; i++) {
            group.allReduce(tensor, Reduction.SUM, TIMEOUT);
            instantsNs[i + 1] = System.nanoTime() - beginNs;
        }
    }

    /** Each at the same time as the others, until all have ended: where there are more of them than processors, they take turns. In bytes per second. */
    private double copy(SegmentCopies copies, long byteSize) {
        long count = Math.ceilDiv(options.rounds(byteSize), TURNS);
        group.barrier(TIMEOUT);
        long beginNs = System.nanoTime();
        copies.run(count);
        group.barrier(TIMEOUT);
        return 1e9 * byteSize * count / (System.nanoTime() - beginNs);
    }

    private double leastOfAll(double own) {
        byte[] bytes = ByteBuffer.allocate(Double.BYTES).putDouble(own).array();
        return group.allGather(bytes, TIMEOUT).stream().mapToDouble(each -> ByteBuffer.wrap(each).getDouble()).min()
                .orElseThrow();
    }

    /** Small whole numbers, whose sums every type has exactly; then the bytes of all members are compared. */
    private void check(Tensor tensor) {
        ElementType type = tensor.type();
        for (long i = 0; i < tensor.shape().elementCount(); i++) {
            set(tensor, i, group.rank() + i % CONTENT_PERIOD);
        }
        group.allReduce(tensor, Reduction.SUM, TIMEOUT);
        long ranks = group.size() * (group.size() - 1L) / 2;
        for (long i = 0; i < tensor.shape().elementCount(); i++) {
            long expected = ranks + group.size() * (i % CONTENT_PERIOD);
            double found = get(tensor, i);
            if (found != expected) {
                throw new FailedRunException("an all-reduce of " + tensor.byteSize() + " bytes of " + type + " has "
                        + found + " instead of " + expected + " at element " + i);
            }
        }
        byte[] own = ByteBuffer.allocate(Long.BYTES).putLong(hash(tensor.memory())).array();
        for (byte[] each : group.allGather(own, TIMEOUT)) {
            if (!Arrays.equals(each, own)) {
                throw new FailedRunException(
                        "an all-reduce of " + tensor.byteSize() + " bytes differs between members");
            }
        }
    }

    private static boolean isWhole(ElementType type) {
        return type == ElementType.INT32 || type == ElementType.INT64;
    }

    private static void set(Tensor tensor, long index, long value) {
        if (isWhole(tensor.type())) {
            Elements.setLong(tensor.memory(), tensor.type(), index, value);
        } else {
            Elements.setDouble(tensor.memory(), tensor.type(), index, value);
        }
    }

    private static double get(Tensor tensor, long index) {
        return isWhole(tensor.type()) ? Elements.getLong(tensor.memory(), tensor.type(), index)
                : Elements.getDouble(tensor.memory(), tensor.type(), index);
    }

    private static long hash(MemorySegment memory) {
        long hash = 0;
        for (long i = 0; i < memory.byteSize(); i++) {
            hash = 31 * hash + memory.get(ValueLayout.JAVA_BYTE, i);
        }
        return hash;
    }

    @Override
    public void close() {
        group.close();
        arena.close();
        device.close();
    }
}
