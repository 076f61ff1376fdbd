package dev.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A tensor's memory in another layout, without a copy: a part of it, its dimensions in another order, its bits as another type. It pins the
 * tensor, whose memory stays until the view is closed, also if the tensor is closed before.
 *
 * <pre>
 *   try (TensorView columns = TensorView.of(tensor, tensor.layout().transposed(0, 1).narrowed(0, 2, 5))) { ... }
 * </pre>
 *
 * Layouts are values: however many operations led to one, there is one view to close.
 *
 * <p><b>Owner:</b> whoever made it closes it, once. <b>Threading:</b> the life cycle is thread-safe; the bytes are for their users to order.
 * After it is closed, each use of its memory throws {@link IllegalStateException}.
 */
public final class TensorView implements AutoCloseable {
    private final TensorLease lease;
    private final TensorLayout layout;

    private TensorView(TensorLease lease, TensorLayout layout) {
        this.lease = lease;
        this.layout = layout;
    }

    /**
     * A view of the tensor by that layout.
     *
     * @throws IllegalArgumentException if the layout goes beyond the tensor, or the tensor's address is no multiple of the elements'
     *             alignment
     * @throws IllegalStateException if the tensor is closed
     */
    public static TensorView of(Tensor tensor, TensorLayout layout) {
        if (layout.extentByteSize() > tensor.byteSize()) {
            throw new IllegalArgumentException("layout " + layout + " needs byteSize=" + layout.extentByteSize()
                    + ", but " + tensor + " has byteSize=" + tensor.byteSize());
        }
        if (tensor.address() % layout.type().byteAlignment() != 0) {
            throw new IllegalArgumentException(tensor + " is not aligned to " + layout.type().byteAlignment()
                    + " bytes, as elements of " + layout.type() + " have to be");
        }
        return new TensorView(TensorLease.of(tensor), layout);
    }

    /** How the bits are read; need not be the tensor's own type, see {@link TensorLayout#bitCast}. */
    public ElementType type() {
        return layout.type();
    }

    /** Of the view, not of the tensor: the indices that {@link #getDouble} and the others take are within it. */
    public Shape shape() {
        return layout.shape();
    }

    /** Where its elements lie in the tensor; what other views of the same tensor may be derived from. */
    public TensorLayout layout() {
        return layout;
    }

    /** Bytes of its elements; they lie in as many only if it is contiguous. */
    public long byteSize() {
        return layout.byteSize();
    }

    /** Whether its elements lie one behind the other, in their order: only then there are {@link #memory} and {@link #asByteBuffer}. */
    public boolean isContiguous() {
        return layout.isContiguous();
    }

    /**
     * Its bytes, exactly, not to be used once it is closed.
     *
     * @throws IllegalStateException if it is not contiguous; or of INT4 and begins within a byte
     */
    public MemorySegment memory() {
        MemorySegment whole = lease.memory();
        ByteRuns runs = layout.runs();
        if (!isContiguous()) {
            throw new IllegalStateException(this + " is not contiguous, but " + runs
                    + "; copy it by copyTo(tensor), or read its elements");
        }
        return runs.count() == 0 ? whole.asSlice(0, 0) : whole.asSlice(runs.byteOffset(0), runs.byteSize());
    }

    /**
     * Its bytes as a direct buffer in native order, not to be used longer than {@link #memory()}.
     *
     * @throws IllegalStateException if it is not contiguous, or larger than 2 GiB - 1
     */
    public ByteBuffer asByteBuffer() {
        MemorySegment memory = memory();
        if (memory.byteSize() > Integer.MAX_VALUE) {
            throw new IllegalStateException("byteSize=" + byteSize() + " does not fit a ByteBuffer; use memory()");
        }
        return memory.asByteBuffer().order(ByteOrder.nativeOrder());
    }

    /** The tensor's slab; not to be asked once its arena is closed. */
    public Slab slab() {
        return lease.tensor().slab();
    }

    /** From the start of the slab to the tensor's first byte, from where {@link TensorLayout#runs} are counted. */
    public long slabOffset() {
        return lease.tensor().slabOffset();
    }

    /** Pins the tensor by a lease that holds none, for a transfer, which goes on if the view is closed. */
    public void pin(TensorLease transfer) {
        transfer.pinAs(lease);
    }

    // ---- elements ----

    /** As {@link Elements#getDouble}. */
    public double getDouble(long... indices) {
        return Elements.getDouble(lease.memory(), layout.type(), layout.elementIndex(indices));
    }

    /** As {@link Elements#getLong}. */
    public long getLong(long... indices) {
        return Elements.getLong(lease.memory(), layout.type(), layout.elementIndex(indices));
    }

    /**
     * As {@link Elements#setDouble}.
     *
     * @throws IllegalStateException if {@link TensorLayout#mayOverlap} is true
     */
    public void setDouble(double value, long... indices) {
        requireWritable();
        Elements.setDouble(lease.memory(), layout.type(), layout.elementIndex(indices), value);
    }

    /**
     * As {@link Elements#setLong}.
     *
     * @throws IllegalStateException if {@link TensorLayout#mayOverlap} is true
     */
    public void setLong(long value, long... indices) {
        requireWritable();
        Elements.setLong(lease.memory(), layout.type(), layout.elementIndex(indices), value);
    }

    private void requireWritable() {
        if (layout.mayOverlap()) {
            throw new IllegalStateException(this + " is for reading: one element of the tensor may be several of the"
                    + " view; write to the tensor");
        }
    }

    /**
     * Copies the elements in their order to a tensor of the same type and shape, run by run.
     *
     * @throws IllegalArgumentException if it has another type or shape
     * @throws IllegalStateException if it is closed; or pieces of this view begin or end within a byte, which only those of INT4 do
     */
    public void copyTo(Tensor target) {
        if (target.type() != type() || !target.shape().equals(shape())) {
            throw new IllegalArgumentException("cannot copy " + this + " to " + target + ": another type or shape");
        }
        MemorySegment from = lease.memory();
        MemorySegment to = target.memory();
        ByteRuns runs = layout.runs();
        for (long run = 0; run < runs.count(); run++) {
            MemorySegment.copy(from, runs.byteOffset(run), to, run * runs.byteSize(), runs.byteSize());
        }
    }

    /**
     * Gives up the hold on the tensor.
     *
     * @throws IllegalStateException if it is closed already
     */
    @Override
    public void close() {
        lease.close();
    }

    @Override
    public String toString() {
        return "view " + layout + " (" + lease + ")";
    }
}
