package dev.verbena.arrow;

import java.lang.foreign.Arena;
import java.util.Objects;

import org.apache.arrow.memory.AllocationManager;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.ReferenceManager;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;

/**
 * The memory behind buffers of Arrow: a tensor of an arena, so that what vectors hold lies in registered memory from the beginning.
 *
 * <p>Accounts, limits, reference counts and reports of leaks are Arrow's, as with its own memory. The tensor is pinned: while a buffer
 * is there, its arena is closed neither by {@link TensorArena#close} nor by force. Contents of a new buffer are undefined.
 *
 * <p><b>Owner:</b> Arrow, which frees it with the last reference. <b>Threading:</b> thread-safe.
 */
public final class VerbenaAllocationManager extends AllocationManager {
    /** Where a buffer of no bytes begins: everywhere but at 0, which is an address of nothing to others. */
    private static final long EMPTY_ADDRESS = Arena.global().allocate(Long.BYTES, Long.BYTES).address();

    /** Of a tensor that is closed from the beginning: who gives this up frees it. */
    private final TensorLease lease;
    private final long address;
    /** Arrow asks for it after the release too. */
    private final long byteSize;

    private VerbenaAllocationManager(BufferAllocator accounting, TensorLease lease) {
        super(accounting);
        this.lease = lease;
        address = lease.address();
        byteSize = lease.byteSize();
    }

    /**
     * For {@code RootAllocator.configBuilder().allocationManagerFactory(..)}: each buffer of that allocator and of its children is a tensor
     * of the arena, which stays its creator's and is closed after them. Where the arena has no room, they throw Arrow's
     * {@link OutOfMemoryException}, with the arena's as its cause; where it is closed, {@link IllegalStateException}.
     */
    public static Factory factory(TensorArena arena) {
        return new OfArena(Objects.requireNonNull(arena, "arena"));
    }

    /** Bytes asked for, as Arrow has rounded them. */
    @Override
    public long getSize() {
        return byteSize;
    }

    @Override
    protected long memoryAddress() {
        return address;
    }

    @Override
    protected void release0() {
        lease.close();
    }

    private record OfArena(TensorArena arena) implements Factory {
        /** Arrow's account of it is opened last: one that was opened for what then fails would be reported as a leak. */
        @Override
        public AllocationManager create(BufferAllocator accounting, long byteSize) {
            TensorLease lease;
            try (Tensor tensor = allocate(accounting, byteSize)) {
                lease = TensorLease.of(tensor);
            }
            boolean isMade = false;
            try {
                AllocationManager manager = new VerbenaAllocationManager(accounting, lease);
                isMade = true;
                return manager;
            } finally {
                if (!isMade) {
                    lease.close();
                }
            }
        }

        private Tensor allocate(BufferAllocator accounting, long byteSize) {
            try {
                return arena.allocate(ElementType.UINT8, Shape.of(byteSize));
            } catch (OutOfArenaMemoryException e) {
                throw new OutOfMemoryException("no memory for a buffer of byteSize=" + byteSize + " of allocator '"
                        + accounting.getName() + "', which has " + accounting.getAllocatedMemory() + ": "
                        + e.getMessage(), e);
            }
        }

        @Override
        public ArrowBuf empty() {
            return new ArrowBuf(ReferenceManager.NO_OP, null, 0, EMPTY_ADDRESS);
        }
    }
}
