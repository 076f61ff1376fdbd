package dev.verbena.transfer.protocol;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

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
 * <p>Always: {@code latest + kept + lent <= as many as were lent, or being read, at once}.
 *
 * <p><b>Owner:</b> the receiver of such tensors. <b>Threading:</b> taken by one thread at a time, while driving, and not beside {@link #close}
 * or after it; comes back on any thread, at any time.
 */
public final class LandingPlaces {
    private final TensorArena arena;
    /**
     * One that has come back, or null. Those who give back only fill it, who takes only empties it: one locked instruction for both, where each
     * would take two for a lock.
     */
    private final AtomicReference<Place> latest = new AtomicReference<>();
    /** Those for which that had no room, the latest last. Guarded by this. */
    private final List<Place> kept = new ArrayList<>();
    private volatile boolean isClosed;

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

    private Place takeKept(ElementType type, Shape shape) {
        Place place = takeLatest();
        return place != null && place.fits(type, shape) ? place : takeOlder(type, shape, place);
    }

    private Place takeLatest() {
        Place place = latest.getAcquire();
        if (place != null) {
            latest.setRelease(null);
        }
        return place;
    }

    private synchronized Place takeOlder(ElementType type, Shape shape, Place unfit) {
        if (unfit != null) {
            kept.add(unfit);
        }
        for (int i = kept.size() - 1; i >= 0; i--) {
            if (kept.get(i).fits(type, shape)) {
                return kept.remove(i);
            }
        }
        freeOldest();
        return null;
    }

    /** @return whether anything was kept */
    private boolean makeRoom() {
        if (freeOldest()) {
            return true;
        }
        Place place = takeLatest();
        if (place != null) {
            place.drop();
        }
        return place != null;
    }

    private synchronized boolean freeOldest() {
        if (kept.isEmpty()) {
            return false;
        }
        kept.removeFirst().drop();
        return true;
    }

    /** Looks afterwards whether this was closed, as who closes it looks afterwards what has come back: one of the two frees it. */
    private void takeBack(Place place) {
        if (latest.getPlain() != null || !latest.compareAndSet(null, place)) {
            keep(place);
        } else if (isClosed) {
            freeLatest();
        }
    }

    private synchronized void keep(Place place) {
        if (isClosed) {
            place.drop();
        } else {
            kept.add(place);
        }
    }

    private void freeLatest() {
        Place place = latest.getAndSet(null);
        if (place != null) {
            place.drop();
        }
    }

    /** What is lent is freed when it comes back. */
    public synchronized void close() {
        isClosed = true;
        freeLatest();
        while (freeOldest()) {
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
    public final class Place implements Landed {
        private final Tensor tensor;
        /** Made when it is first lent. */
        private TensorSlot slot;

        private Place(Tensor tensor) {
            this.tensor = tensor;
        }

        private boolean fits(ElementType type, Shape shape) {
            return tensor.type() == type && tensor.shape().equals(shape);
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
        @Override
        public void drop() {
            tensor.close();
        }

        /** The caller's from now on; the place is used no more. */
        @Override
        public Tensor give() {
            return tensor;
        }

        /** @throws IllegalStateException if the lease holds a tensor; nothing has changed then */
        @Override
        public void lend(TensorLease lease) {
            if (slot == null) {
                slot = new TensorSlot(tensor.slab(), tensor.slabOffset(), tensor.type(), tensor.shape(),
                        () -> takeBack(this));
            }
            slot.lend(lease);
        }
    }
}
