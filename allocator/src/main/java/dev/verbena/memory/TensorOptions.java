package dev.verbena.memory;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.heap.ArenaBlocks;
import dev.verbena.memory.heap.HeadroomStorage;
import dev.verbena.memory.heap.SizeClasses;
import dev.verbena.memory.heap.Storage;

/**
 * How one tensor of an arena or a scope differs from the others.
 *
 * <pre>
 *   block, aligned                                    address, aligned
 *   ├─ up to alignment - 1 bytes, unused ─┼─ headroom ─┼─ the tensor's bytes ─┤
 *                                         ├─ {@link Tensor#memoryWithHeadroom} ─┤
 * </pre>
 *
 * <p>Headroom takes the next multiple of the alignment, or of 64 bytes if that is more, so that the tensor's first byte is aligned
 * nevertheless.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param alignment of the tensor's first byte, a power of two up to 2^30; it is 64 at least, whatever is said here. Up to 4,096 it costs the
 *            rounding of the size; beyond, the tensor has whole pages of its own
 * @param headroomByteSize bytes right in front of the tensor that go with it, for the headers of other runtimes; up to 2^30
 * @param zeroed whether all bytes are 0 at first, those of the headroom too; otherwise they are undefined
 */
public record TensorOptions(long alignment, long headroomByteSize, boolean zeroed) {
    private static final long HEADROOM_BYTE_SIZE_MAX = 1L << 30;
    private static final TensorOptions DEFAULTS = new TensorOptions(SizeClasses.ALIGNMENT, 0, false);

    /** Throws {@link IllegalArgumentException} if the alignment is no power of two up to 2^30, or the headroom is not 0 to 2^30 bytes. */
    public TensorOptions {
        ArenaBlocks.checkAlignment(alignment);
        if (headroomByteSize < 0 || headroomByteSize > HEADROOM_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException(
                    "headroomByteSize=" + headroomByteSize + "; give 0 to " + HEADROOM_BYTE_SIZE_MAX + " bytes");
        }
    }

    /** Aligned to 64 bytes, without headroom, contents undefined. */
    public static TensorOptions defaults() {
        return DEFAULTS;
    }

    /** Of the tensor's first byte: a power of two up to 2^30; it is 64 unless set, and never less. */
    public TensorOptions withAlignment(long alignment) {
        return new TensorOptions(alignment, headroomByteSize, zeroed);
    }

    /** Bytes right in front of the tensor that go with it, for the headers of other runtimes: up to 2^30, 0 unless set. */
    public TensorOptions withHeadroomByteSize(long headroomByteSize) {
        return new TensorOptions(alignment, headroomByteSize, zeroed);
    }

    /** All bytes are 0 at first, those of the headroom too; unless set, they are undefined. */
    public TensorOptions withZeroed() {
        return new TensorOptions(alignment, headroomByteSize, true);
    }

    /**
     * Bytes to plan with for such a tensor: to be given to {@link TensorArena#reservedByteSize} and {@link TensorArena#plannedByteSize} in
     * place of {@code byteSize}. At most 2^63 - 1, which no arena has.
     *
     * @throws IllegalArgumentException if {@code byteSize} is negative
     */
    public long blockByteSize(long byteSize) {
        ArenaBlocks.checkByteSize(byteSize);
        return ArenaBlocks.plannedBlockByteSize(wholeByteSize(byteSize), alignment);
    }

    /** From where the block begins to the end of a tensor of {@code byteSize}, or of 1 so that its address is its own; at most 2^63 - 1. */
    long wholeByteSize(long byteSize) {
        long front = frontByteSize();
        return byteSize > Long.MAX_VALUE - front ? Long.MAX_VALUE : front + Math.max(byteSize, 1);
    }

    private long frontByteSize() {
        return SizeClasses.ceil(headroomByteSize, Math.max(alignment, SizeClasses.ALIGNMENT));
    }

    /** The tensor whose block, of at least {@link #wholeByteSize}, begins at {@code start}. */
    Tensor tensor(Storage block, long start, ElementType type, Shape shape) {
        long front = frontByteSize();
        if (zeroed && !block.isZero(start)) {
            MemorySegment slab = block.slabAt(start).memory();
            long first = start + front - headroomByteSize;
            slab.asSlice(first - slab.address(), headroomByteSize + shape.byteSize(type)).fill((byte) 0);
        }
        if (front > headroomByteSize) {
            block.setAside(front - headroomByteSize);
        }
        Storage storage = front == 0 ? block : new HeadroomStorage(block, headroomByteSize, front);
        return new Tensor(storage, start + front, type, shape);
    }
}
