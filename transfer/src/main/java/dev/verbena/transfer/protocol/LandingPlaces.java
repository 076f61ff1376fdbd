package dev.verbena.transfer.protocol;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorSlot;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * What tensors of any shape are read into. Memory that was lent, and has come back, is kept for the next tensor of the same type and shape,
 * so that nothing is made for that on the Java heap; for one of another shape it makes room.
 *
 * <p>Always: {@code kept + lent <= as many as were lent, or being read, at once}.
 *
 * <p><b>Owner:</b> the receiver of such tensors. <b>Threading:</b> taken while driving, comes back on any thread.
 */
public final class LandingPlaces {
    private final TensorArena arena;
    /** Guarded by this, the latest last. */
    private final List<Place> kept = new ArrayList<>();
    private boolean isClosed;

    /** In that arena, whose slabs must be registered with the device. */
    public LandingPlaces(TensorArena arena) {
        this.arena = arena;
    }

    /** @return null if the arena has no room for it at present */
    public Place tryTake(ElementType type, Shape shape) {
        Place place = takeKept(type, shape);
        if (place != null) {
            return place;
        }
        Tensor tensor;
        do {
            tensor = arena.tryAllocate(type, shape);
        } while (tensor == null && makeRoom());
        return tensor == null ? null : new Place(tensor);
    }

    private synchronized Place takeKept(ElementType type, Shape shape) {
        for (int i = kept.size() - 1; i >= 0; i--) {
            Tensor tensor = kept.get(i).tensor;
            if (tensor.type() == type && tensor.shape().equals(shape)) {
                return kept.remove(i);
            }
        }
        makeRoom();
        return null;
    }

    /** @return whether anything was kept */
    private synchronized boolean makeRoom() {
        if (kept.isEmpty()) {
            return false;
        }
        kept.removeFirst().tensor.close();
        return true;
    }

    private synchronized void takeBack(Place place) {
        if (isClosed) {
            place.tensor.close();
        } else {
            kept.add(place);
        }
    }

    /** What is lent is freed when it comes back. */
    public synchronized void close() {
        isClosed = true;
        while (makeRoom()) {
            // One by one.
        }
    }

    @Override
    public String toString() {
        return arena.toString();
    }

    /**
     * Memory for one tensor, which goes to whoever asks: for good, as a tensor, or to a lease.
     *
     * <p><b>Owner:</b> who took it, until it goes to somebody. <b>Threading:</b> confined to its owner.
     */
    public final class Place {
        private final Tensor tensor;
        /** Made when it is first lent. */
        private TensorSlot slot;

        private Place(Tensor tensor) {
            this.tensor = tensor;
        }

        public MemoryRegion region() {
            return (MemoryRegion) tensor.slab();
        }

        public long regionOffset() {
            return tensor.slabOffset();
        }

        /** Where the tensor is written to before it is given or lent. */
        public MemorySegment memory() {
            return tensor.memory();
        }

        /** Nobody wants it: it goes back to the arena. */
        public void drop() {
            tensor.close();
        }

        /** The caller's from now on; the place is used no more. */
        public Tensor give() {
            return tensor;
        }

        /** @throws IllegalStateException if the lease holds a tensor; nothing has changed then */
        public void lend(TensorLease lease) {
            if (slot == null) {
                slot = new TensorSlot(tensor.slab(), tensor.slabOffset(), tensor.type(), tensor.shape(),
                        () -> takeBack(this));
            }
            slot.lend(lease);
        }
    }
}
