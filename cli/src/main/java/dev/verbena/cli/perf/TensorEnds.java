package dev.verbena.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import dev.verbena.cli.FailedRunException;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/**
 * One side's sender and receiver of tensors of one size, used as a program uses them: whoever finds nothing to do waits for the
 * device's activity. Each tensor carries its number at its begin and at its end, which the receiver compares.
 *
 * <p>There is a source for each slot of the peer's, so that a free slot means a source that nobody reads any more.
 *
 * <p>Threading: confined to the command's thread.
 */
final class TensorEnds implements AutoCloseable {
    private static final long WAIT_NS = 1_000_000;

    private final RdmaDevice device;
    private final TensorArena arena;
    private final List<Tensor> sources = new ArrayList<>();
    private final List<MemorySegment> memories = new ArrayList<>();
    private final TensorReceiver receiver;
    private final TensorLease arrived = new TensorLease();
    private final long byteSize;
    private TensorSender sender;
    private long sent;

    /**
     * @param name of this size's receivers, the same on both sides
     * @param slotsHere what the peer may have under way
     * @param slotsThere what this side may have under way
     */
    TensorEnds(TensorLink link, String name, long byteSize, int slotsHere, int slotsThere) {
        this.byteSize = byteSize;
        device = link.device();
        Shape shape = Shape.of(byteSize);
        long[] planned = new long[slotsThere + 1];
        Arrays.fill(planned, byteSize);
        planned[slotsThere] = RdmaDevice.receiverBufferByteSize(ElementType.UINT8, shape, slotsHere);
        long arenaByteSize = TensorArena.plannedByteSize(1, planned);
        arena = TensorArena.create(device.slabSource(), arenaByteSize, arenaByteSize);
        for (int i = 0; i < slotsThere; i++) {
            sources.add(arena.allocate(ElementType.UINT8, shape));
            memories.add(sources.getLast().memory());
        }
        receiver = device.receiver(name, arena, ElementType.UINT8, shape, slotsHere);
    }

    /** When the peer has its ends, or will soon. */
    void connect(TensorLink link, String name) {
        sender = device.channel(link.peer(), 0).sender(name, ElementType.UINT8, Shape.of(byteSize), TensorLink.TIMEOUT);
    }

    List<MemorySegment> memories() {
        return Collections.unmodifiableList(memories);
    }

    void send(long number) {
        MemorySegment memory = memories.get(awaitSource());
        memory.set(JAVA_LONG_UNALIGNED, 0, number);
        memory.set(JAVA_LONG_UNALIGNED, byteSize - Long.BYTES, number);
        offerNext();
    }

    void receive(long number) {
        awaitTensor();
        try (arrived) {
            MemorySegment memory = arrived.memory();
            requireSame(0, number, memory.get(JAVA_LONG_UNALIGNED, 0));
            requireSame(byteSize - Long.BYTES, number, memory.get(JAVA_LONG_UNALIGNED, byteSize - Long.BYTES));
        }
    }

    /** A tensor whose bytes differ from place to place and from seed to seed. */
    void sendPattern(long seed) {
        MemorySegment memory = memories.get(awaitSource());
        for (long i = 0; i < byteSize; i++) {
            memory.set(JAVA_BYTE, i, pattern(seed, i));
        }
        offerNext();
    }

    /** Compares every byte. */
    void receivePattern(long seed) {
        awaitTensor();
        try (arrived) {
            MemorySegment memory = arrived.memory();
            for (long i = 0; i < byteSize; i++) {
                requireSame(i, pattern(seed, i), memory.get(JAVA_BYTE, i));
            }
        }
    }

    static byte pattern(long seed, long position) {
        return (byte) (seed * 101 + position * 7 + (position >>> 8) + (position >>> 20));
    }

    private int awaitSource() {
        long seen = device.activity();
        while (!sender.isReady()) {
            device.awaitActivity(seen, WAIT_NS);
            seen = device.activity();
        }
        return (int) (sent % sources.size());
    }

    private void offerNext() {
        SendResult result = sender.offer(sources.get((int) (sent++ % sources.size())), null);
        if (result != SendResult.SENT) {
            throw new IllegalStateException("a ready sender answered " + result);
        }
    }

    private void awaitTensor() {
        long seen = device.activity();
        while (!receiver.poll(arrived)) {
            device.awaitActivity(seen, WAIT_NS);
            seen = device.activity();
        }
    }

    private void requireSame(long position, long expected, long found) {
        if (found != expected) {
            throw new FailedRunException("a tensor of " + byteSize + " bytes arrived with " + found + " instead of "
                    + expected + " at byte " + position);
        }
    }

    @Override
    public void close() {
        if (sender != null) {
            sender.close();
        }
        receiver.close();
        sources.forEach(Tensor::close);
        arena.close();
    }
}
