package dev.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import dev.verbena.memory.events.FreeEvent;
import dev.verbena.memory.heap.Storage;

/**
 * A dense tensor over off-heap memory: live, pinned by n transfers, or free. Closing it frees its memory as soon as the last
 * pin is gone; every later use of its memory throws {@link IllegalStateException}, as does a second close.
 *
 * <p><b>Owner:</b> whoever allocated it closes it. <b>Threading:</b> the life cycle is thread-safe; the bytes are for their
 * users to order.
 */
public sealed class Tensor extends PinState implements AutoCloseable permits Tensor.Alias {
    private final Storage storage;
    private final long address;
    private final ElementType type;
    private final Shape shape;
    /** Made when it is first asked for; whoever races makes an equal one. */
    private MemorySegment memory;

    Tensor(Storage storage, long address, ElementType type, Shape shape) {
        this.storage = storage;
        this.address = address;
        this.type = type;
        this.shape = shape;
    }

    /**
     * A tensor over memory that no arena manages; {@code onFree} runs once, when it is closed and no longer pinned.
     *
     * @throws IllegalArgumentException if the slab is memory of the Java heap, it does not lie within the slab, or its offset is no multiple
     *             of its elements' alignment
     */
    public static Tensor over(Slab slab, long offset, ElementType type, Shape shape, Runnable onFree) {
        checkWithin(slab, offset, type, shape);
        return new Tensor(new UnmanagedStorage(slab, onFree), slab.memory().address() + offset, type, shape);
    }

    static void checkWithin(Slab slab, long offset, ElementType type, Shape shape) {
        if (!slab.memory().isNative()) {
            throw new IllegalArgumentException(
                    "slab " + slab.memory() + " is memory of the Java heap, which has no address;"
                            + " allocate it by an Arena");
        }
        long slabByteSize = slab.memory().byteSize();
        if (offset < 0 || offset > slabByteSize || shape.byteSize(type) > slabByteSize - offset
                || offset % type.byteAlignment() != 0) {
            throw new IllegalArgumentException("tensor " + type + shape + " byteSize=" + shape.byteSize(type)
                    + " at offset="
                    + offset + " must lie within its slab of byteSize=" + slabByteSize + ", aligned to its elements");
        }
    }

    /**
     * The same storage under another shape of equally many elements. The two are one tensor: closing either frees it.
     */
    public final Tensor reshaped(Shape other) {
        checkOpen();
        if (other.elementCount() != shape.elementCount()) {
            throw new IllegalArgumentException("cannot reshape " + shape + " to " + other + ": elementCount="
                    + shape.elementCount() + " and " + other.elementCount());
        }
        return Alias.of(original(), other);
    }

    /** As {@link #reshaped}, for any number of elements that the block has room for; null if it has not. */
    final Tensor resizedWithin(long usableByteSize, Shape other) {
        checkOpen();
        return other.byteSize(type) <= usableByteSize ? Alias.of(original(), other) : null;
    }

    /** What was asked for, whatever shapes came later. */
    final long allocatedByteSize() {
        return original().byteSize();
    }

    /** Of all its elements, and of those of each reshaped alias; also told once it is closed. */
    public final ElementType type() {
        return type;
    }

    /** Fixed: {@link #reshaped} makes an alias of another shape and leaves this one. Also told once it is closed. */
    public final Shape shape() {
        return shape;
    }

    /** Its own layout, dense, from which those of a {@link TensorView} are made. */
    public final TensorLayout layout() {
        return TensorLayout.of(type, shape);
    }

    /** Bytes of its elements, without headroom and rounding; an odd number of INT4 fills up its last byte. Also told once it is closed. */
    public final long byteSize() {
        return shape.byteSize(type);
    }

    /**
     * Its bytes, exactly. Not to be used once the tensor is closed and not pinned: the segment then reads and writes whatever tensor is
     * there next, unless this one is of a scope, a {@link DebugArena}, or an arena of which {@link ArenaOptions} say that views end with
     * their tensors; there each access throws.
     */
    public final MemorySegment memory() {
        checkOpen();
        return heldMemory();
    }

    /** As {@link #memory()}, for who keeps it. */
    final MemorySegment heldMemory() {
        MemorySegment made = memory;
        if (made == null) {
            made = storage.memoryAt(address, byteSize());
            memory = made;
        }
        return made;
    }

    /**
     * Its bytes and the headroom in front of them, as one segment: headroom of {@link TensorOptions#headroomByteSize} bytes, of which those
     * without headroom have none. Not to be used longer than {@link #memory()}.
     */
    public final MemorySegment memoryWithHeadroom() {
        checkOpen();
        long headroom = storage.headroomByteSize();
        return storage.memoryAt(address - headroom, headroom + byteSize());
    }

    /** The address of its first byte. */
    public final long address() {
        checkOpen();
        return address;
    }

    /** As {@link #address()}, for who keeps it. */
    final long heldAddress() {
        return address;
    }

    /**
     * Its bytes as a direct buffer in native order, not to be used longer than {@link #memory()}.
     *
     * @throws IllegalStateException if it is larger than 2 GiB - 1
     */
    public final ByteBuffer asByteBuffer() {
        if (byteSize() > Integer.MAX_VALUE) {
            throw new IllegalStateException("byteSize=" + byteSize() + " does not fit a ByteBuffer; use memory()");
        }
        return memory().asByteBuffer().order(ByteOrder.nativeOrder());
    }

    /** The slab that it lies in; not to be asked once its arena is closed. */
    public final Slab slab() {
        return storage.slabAt(address);
    }

    /** Bytes from the start of its slab. */
    public final long slabOffset() {
        return address - slab().memory().address();
    }

    /** Whether both are the same storage, under whatever shapes. */
    public final boolean sharesStorageWith(Tensor other) {
        return original() == other.original();
    }

    /** False once it or a reshaped alias is closed, even while it is still pinned, and once its arena or its scope's iteration has ended. */
    public final boolean isOpen() {
        return original().isLive() && storage.isOpen();
    }

    /** Keeps the memory until the matching {@link #unpin()}; for {@link TensorLease}, which says whose is whose. */
    final void pin() {
        pin(false);
    }

    /** As {@link #pin()}, for who has a pin already: also if the tensor was closed meanwhile. */
    final void sharePin() {
        pin(true);
    }

    private void pin(boolean isShared) {
        if (!storage.tryPin()) {
            throw new IllegalStateException(
                    "pin after free: " + this + " was freed with its scope's iteration, or its arena"
                            + " is closed forcibly");
        }
        try {
            original().addPin(this, isShared);
        } catch (IllegalStateException e) {
            storage.unpinned();
            throw e;
        }
    }

    /** @throws IllegalStateException if it is not pinned */
    final void unpin() {
        original().removePin(this);
        storage.unpinned();
    }

    /** How many {@link TensorLease}s pin it. */
    public final int pins() {
        return original().pinCount();
    }

    /**
     * Frees the memory, or leaves that to the last {@link TensorLease} that pins it. That it was used happens before it is handed out again.
     *
     * @throws IllegalStateException if it, or a reshaped alias of it, is closed already
     */
    @Override
    public final void close() {
        original().end(this);
    }

    final Storage storage() {
        return storage;
    }

    /** Itself, or which it is a reshaped alias of. */
    Tensor original() {
        return this;
    }

    @Override
    final String history() {
        return storage.history();
    }

    /** Called by the block, whose life is over. */
    @Override
    final void releaseStorage() {
        if (FreeEvent.isOn() && storage.isArena()) {
            FreeEvent.record(storage::release, address);
        } else {
            storage.release(address);
        }
    }

    private void checkOpen() {
        if (!isOpen()) {
            throw new IllegalStateException(
                    "use after free: " + this + " was closed before, or its scope or arena has ended" + history());
        }
    }

    @Override
    public final String toString() {
        return "Tensor " + type + shape + " address=0x" + Long.toHexString(address);
    }

    /** The same storage as another's, under another shape: a class of its own, since most tensors have none and are 8 bytes smaller so. */
    static final class Alias extends Tensor {
        private final Tensor original;

        private Alias(Tensor original, Shape shape) {
            super(original.storage, original.address, original.type, shape);
            this.original = original;
        }

        /** So that a program without aliases does not load this class, and its JIT knows of one {@link #original()} only. */
        static Tensor of(Tensor original, Shape shape) {
            return new Alias(original, shape);
        }

        @Override
        Tensor original() {
            return original;
        }
    }
}
