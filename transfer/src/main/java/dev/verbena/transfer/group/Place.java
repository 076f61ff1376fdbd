package dev.verbena.transfer.group;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * Where a member has the tensor of an operation, for those that read or write there; in front of the header of its {@link Message}.
 *
 * <pre>
 *  0                               8                16               24
 * +-------------------------------+----------------+----------------+
 * | 0, 1 if open, 3 if in place   | address        | rkey           |
 * +-------------------------------+----------------+----------------+
 * </pre>
 *
 * <p><b>Owner:</b> {@link Ring}. <b>Threading:</b> while driving.
 */
final class Place {
    static final long BYTE_SIZE = 3 * Long.BYTES;

    private static final long OPEN = 1;
    private static final long IN_PLACE = 2;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private long state;
    private long address;
    private long rkey;

    /**
     * Open if it is registered so that peers may write to it.
     *
     * @param isMapped whether peers map what is open
     */
    void set(Tensor tensor, boolean isMapped) {
        if (tensor.slab() instanceof MemoryRegion region && region.rights().contains(AccessRight.REMOTE_WRITE)) {
            state = isMapped ? OPEN | IN_PLACE : OPEN;
            address = region.address() + tensor.slabOffset();
            rkey = region.rkey();
        } else {
            state = 0;
            address = 0;
            rkey = 0;
        }
    }

    void write(MemorySegment memory, long offset) {
        memory.set(WORD, offset, state);
        memory.set(WORD, offset + Long.BYTES, address);
        memory.set(WORD, offset + 2 * Long.BYTES, rkey);
    }

    void read(MemorySegment memory, long offset) {
        state = memory.get(WORD, offset);
        address = memory.get(WORD, offset + Long.BYTES);
        rkey = memory.get(WORD, offset + 2 * Long.BYTES);
    }

    /** Whether peers may write there. */
    boolean isOpen() {
        return (state & OPEN) != 0;
    }

    /** Whether what is in it is not sent, but read there. */
    boolean isInPlace() {
        return (state & IN_PLACE) != 0;
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
