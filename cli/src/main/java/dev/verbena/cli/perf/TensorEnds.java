package dev.verbena.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

import dev.verbena.cli.FailedRunException;
import dev.verbena.transfer.RdmaDevice;

/**
 * One side's end of tensors of one size, used as a program uses it: whoever has no tensor to receive waits for one, whoever finds no slot for the device's activity. Each
 * tensor carries its number at its begin and at its end, and all over if told so, which the receiver compares.
 *
 * <p>Threading: confined to the command's thread.
 */
final class TensorEnds implements AutoCloseable {
    private static final long WAIT_NS = 1_000_000;
    /** A peer that is lost ends the waiting before. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final RdmaDevice device;
    private final TensorProtocol protocol;
    private final long byteSize;
    private final boolean touches;
    private final TensorCarrier carrier;

    /**
     * The receivers' name says what they are for, and is the same on both sides.
     *
     * @param slotsHere what the peer may have under way
     * @param slotsThere what this side may have under way
     * @param touches whether all bytes of each tensor are written and compared
     */
    TensorEnds(TensorLink link, TensorProtocol protocol, long byteSize, int slotsHere, int slotsThere,
            boolean touches) {
        device = link.device();
        this.protocol = protocol;
        this.byteSize = byteSize;
        this.touches = touches;
        carrier = protocol.open(link, "perf tensor of " + byteSize + ", " + protocol, byteSize, slotsHere, slotsThere);
    }

    /** When the peer has its ends, or will soon. */
    void connect() {
        carrier.connect();
    }

    TensorProtocol protocol() {
        return protocol;
    }

    long byteSize() {
        return byteSize;
    }

    List<MemorySegment> memories() {
        return carrier.memories();
    }

    /** Where there is no adapter, a processor is it. */
    long fabricByteSize() {
        return device.capabilities().movesByCpu() ? carrier.fabricByteSize() : 0;
    }

    void send(long number) {
        MemorySegment memory = awaitNext();
        if (touches) {
            memory.fill((byte) number);
        }
        memory.set(JAVA_LONG_UNALIGNED, 0, number);
        memory.set(JAVA_LONG_UNALIGNED, byteSize - Long.BYTES, number);
        carrier.offer();
    }

    /** Many tensors follow. */
    void hold() {
        carrier.hold();
    }

    /** They have all been sent. */
    void flush() {
        carrier.flush();
    }

    void receive(long number) {
        MemorySegment memory = awaitTensor();
        try {
            requireSame(0, number, memory.get(JAVA_LONG_UNALIGNED, 0));
            requireSame(byteSize - Long.BYTES, number, memory.get(JAVA_LONG_UNALIGNED, byteSize - Long.BYTES));
            if (touches) {
                requireFilled(memory, number);
            }
        } finally {
            carrier.release();
        }
    }

    private void requireFilled(MemorySegment memory, long number) {
        long filled = (number & 0xff) * 0x01_01_01_01_01_01_01_01L;
        for (long i = Long.BYTES; i <= byteSize - 2 * Long.BYTES; i += Long.BYTES) {
            requireSame(i, filled, memory.get(JAVA_LONG_UNALIGNED, i));
        }
    }

    /** When the first bytes of what was received last could be read, by {@link System#nanoTime}; 0 where it comes whole. */
    long firstNs() {
        return carrier.firstNs();
    }

    /** A tensor whose bytes differ from place to place and from seed to seed. */
    void sendPattern(long seed) {
        MemorySegment memory = awaitNext();
        for (long i = 0; i < byteSize; i++) {
            memory.set(JAVA_BYTE, i, pattern(seed, i));
        }
        carrier.offer();
    }

    /** Compares every byte. */
    void receivePattern(long seed) {
        MemorySegment memory = awaitTensor();
        try {
            for (long i = 0; i < byteSize; i++) {
                requireSame(i, pattern(seed, i), memory.get(JAVA_BYTE, i));
            }
        } finally {
            carrier.release();
        }
    }

    static byte pattern(long seed, long position) {
        return (byte) (seed * 101 + position * 7 + (position >>> 8) + (position >>> 20));
    }

    private MemorySegment awaitNext() {
        long seen = device.activity();
        while (!carrier.isReady()) {
            device.awaitActivity(seen, WAIT_NS);
            seen = device.activity();
        }
        return carrier.next();
    }

    private MemorySegment awaitTensor() {
        MemorySegment arrived;
        do {
            arrived = carrier.await(PATIENCE);
        } while (arrived == null);
        return arrived;
    }

    private void requireSame(long position, long expected, long found) {
        if (found != expected) {
            throw new FailedRunException("a tensor of " + byteSize + " bytes arrived with " + found + " instead of "
                    + expected + " at byte " + position);
        }
    }

    @Override
    public void close() {
        carrier.close();
    }
}
