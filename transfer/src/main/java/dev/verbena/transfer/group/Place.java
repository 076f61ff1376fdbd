package dev.verbena.transfer.group;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * Where a member has the tensor of an operation, for the one that writes there; in front of the header of its {@link Message}.
 *
 * <pre>
 *  0                8                16               24
 * +----------------+----------------+----------------+
 * | 1 if open, or 0| address        | rkey           |
 * +----------------+----------------+----------------+
 * </pre>
 *
 * <p><b>Owner:</b> {@link Ring}. <b>Threading:</b> while driving.
 */
final class Place {
    static final long BYTE_SIZE = 3 * Long.BYTES;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private boolean isOpen;
    private long address;
    private long rkey;

    /** Open if it is registered so that peers may write to it. */
    void set(Tensor tensor) {
        isOpen = tensor.slab() instanceof MemoryRegion region && region.rights().contains(AccessRight.REMOTE_WRITE);
        if (isOpen) {
            MemoryRegion region = (MemoryRegion) tensor.slab();
            address = region.address() + tensor.slabOffset();
            rkey = region.rkey();
        }
    }

    void write(MemorySegment memory, long offset) {
        memory.set(WORD, offset, isOpen ? 1 : 0);
        memory.set(WORD, offset + Long.BYTES, isOpen ? address : 0);
        memory.set(WORD, offset + 2 * Long.BYTES, isOpen ? rkey : 0);
    }

    void read(MemorySegment memory, long offset) {
        isOpen = memory.get(WORD, offset) == 1;
        address = memory.get(WORD, offset + Long.BYTES);
        rkey = memory.get(WORD, offset + 2 * Long.BYTES);
    }

    boolean isOpen() {
        return isOpen;
    }

    /** Of its first byte. */
    long address() {
        return address;
    }

    /** That opens its region. */
    long rkey() {
        return rkey;
    }
}
