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
 * so that nothing is made for that on the Java heap; for one of another shape it makes room, unless both come again and again, in turn.
 *
 * <pre>
 *   tryTake ◄── kept ◄── all at once ── returned ◄── one by one ── what was lent
 * </pre>
 *
 * Who gives back takes no lock, and pays one locked instruction; who takes pays one for all that has come back since.
 *
 * <p>Always: {@code returned + kept + lent <= as many as were lent, or being read, at once}, and as many more as there are shapes in turn, up to
 * {@value #KEPT_MAX}.
 *
 * <p><b>Owner:</b> the receiver of such tensors. <b>Threading:</b> taken by one thread at a time, while driving, and not beside {@link #close}
 * or after it; comes back on any thread, at any time.
 */
public final class LandingPlaces {
    private static final int KEPT_MAX = 16;

    private final TensorArena arena;
    /** The latest to come back, which knows the one before it; null if none has since they were taken from here. */
    private final AtomicReference<Place> returned = new AtomicReference<>();
    /** Taken from there, the latest last; by who takes. */
    private final List<Place> kept = new ArrayList<>();
    /** Beyond as many one makes room. More with each shape that is asked for soon after it has made room, fewer with each that was kept for nothing. */
    private int keptMax = 1;
    /** A ring of those that have made room lately, of which only type and shape count. */
    private final Place[] gone = new Place[KEPT_MAX];
    private int nextGone;
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
        Place place = takeFitting(type, shape);
        if (place == null && collect()) {
            place = takeFitting(type, shape);
        }
        if (place == null) {
            makeRoomFor(type, shape);
        } else {
            place.isTakenAgain = true;
        }
        return place;
    }

    private void makeRoomFor(ElementType type, Shape shape) {
        if (isLatelyGone(type, shape)) {
            keptMax = Math.min(keptMax + 1, KEPT_MAX);
        }
        while (kept.size() >= keptMax) {
            freeOldest();
        }
    }

    private boolean isLatelyGone(ElementType type, Shape shape) {
        for (Place place : gone) {
            if (place != null && place.fits(type, shape)) {
                return true;
            }
        }
        return false;
    }

    private Place takeFitting(ElementType type, Shape shape) {
        for (int i = kept.size() - 1; i >= 0; i--) {
            if (kept.get(i).fits(type, shape)) {
                return kept.remove(i);
            }
        }
        return null;
    }

    /** @return whether anything had come back */
    private boolean collect() {
        if (returned.getAcquire() == null) {
            return false;
        }
        Place oldest = null;
        for (Place each = returned.getAndSet(null); each != null;) {
            Place before = each.before;
            each.before = oldest;
            oldest = each;
            each = before;
        }
        for (Place each = oldest; each != null;) {
            kept.add(each);
            Place after = each.before;
            each.before = null;
            each = after;
        }
        return true;
    }

    /** @return whether anything was kept */
    private boolean makeRoom() {
        collect();
        return freeOldest();
    }

    private boolean freeOldest() {
        if (kept.isEmpty()) {
            return false;
        }
        Place oldest = kept.removeFirst();
        if (!oldest.isTakenAgain && keptMax > 1) {
            keptMax--;
        }
        gone[nextGone] = oldest;
        nextGone = (nextGone + 1) % KEPT_MAX;
        oldest.drop();
        return true;
    }

    /** Looks afterwards whether this was closed, as who closes it looks afterwards what has come back: one of the two frees it. */
    private void takeBack(Place place) {
        Place latest = returned.getPlain();
        place.before = latest;
        while (!returned.compareAndSet(latest, place)) {
            latest = returned.get();
            place.before = latest;
        }
        if (isClosed) {
            freeReturned();
        }
    }

    private void freeReturned() {
        for (Place each = returned.getAndSet(null); each != null;) {
            Place before = each.before;
            each.before = null;
            each.drop();
            each = before;
        }
    }

    /** What is lent is freed when it comes back. */
    public void close() {
        isClosed = true;
        freeReturned();
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
        /** That came back before it, while it is among those that have come back. */
        private Place before;
        /** Made when it is first lent. */
        private TensorSlot slot;
        private boolean isTakenAgain;

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
