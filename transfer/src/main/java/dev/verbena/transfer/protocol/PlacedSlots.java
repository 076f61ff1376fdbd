package dev.verbena.transfer.protocol;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Slab;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorSlot;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.PeerMemory;

/**
 * The receiver's slots, mapped at the sender, which hands out the next one as a tensor to be computed: then it lies where it is received, and
 * all that is left to send is its arrival.
 *
 * <pre>
 *   free ── take, lend ──► pending ── offered ──► sent ── closed ──► free
 *     ▲                       │ closed, or its lease given up
 *     └───────────────────────┘
 * </pre>
 *
 * <p>Always: {@code holds == handed out + (closed ? 0 : 1)}; the memory is mapped as long as there are any.
 *
 * <p><b>Owner:</b> {@link StaticPlacementSender}. <b>Threading:</b> handed out and offered by one thread at a time; given back on any.
 */
final class PlacedSlots {
    private static final long NONE = -1;

    private final PeerMemory memory;
    private final SlotLayout layout;
    private final long offset;
    private final TensorSlot[] slots;
    private final AtomicIntegerArray handedOut;
    private final AtomicInteger holds = new AtomicInteger(1);
    private final AtomicBoolean isClosed = new AtomicBoolean();
    /** The sequence of what was handed out last, until it is offered. Of the offering thread. */
    private long pending = NONE;

    private PlacedSlots(PeerMemory memory, long offset, SlotLayout layout, ElementType type, Shape shape) {
        this.memory = memory;
        this.offset = offset;
        this.layout = layout;
        handedOut = new AtomicIntegerArray(layout.depth());
        slots = new TensorSlot[layout.depth()];
        for (int i = 0; i < slots.length; i++) {
            int slot = i;
            slots[i] = new TensorSlot(memory, offset + layout.slotOffset(i), type, shape, () -> giveBack(slot));
        }
    }

    /** @throws TransferException if the peer's memory cannot be mapped, or the slots that it told of are not in it */
    static PlacedSlots map(Connection connection, PlacementAnswer placement, SlotLayout layout, ElementType type,
            Shape shape) {
        PeerMemory memory = connection.mapPeer(placement.rkey());
        try {
            return new PlacedSlots(memory, placement.address() - memory.address(), layout, type, shape);
        } catch (IllegalArgumentException e) {
            memory.close();
            throw new TransferException("malformed placement answer: " + e.getMessage(), e);
        }
    }

    private int slot(long sequence) {
        return layout.slot(sequence);
    }

    /** Whether the slot's last tensor is closed here, or is the one that is to be offered next. */
    boolean isFree(long sequence) {
        return isPending(sequence) || handedOut.getAcquire(slot(sequence)) == 0;
    }

    /** Whether the slot is handed out, and not offered yet. */
    boolean isPending(long sequence) {
        return pending == sequence && handedOut.getAcquire(slot(sequence)) == 1;
    }

    boolean isAnyHandedOut() {
        for (int i = 0; i < slots.length; i++) {
            if (handedOut.get(i) == 1) {
                return true;
            }
        }
        return false;
    }

    Tensor take(long sequence) {
        handOut(sequence);
        return slots[slot(sequence)].take();
    }

    void lend(long sequence, TensorLease lease) {
        handOut(sequence);
        try {
            slots[slot(sequence)].lend(lease);
        } catch (IllegalStateException e) {
            giveBack(slot(sequence));
            throw e;
        }
    }

    private void handOut(long sequence) {
        pending = sequence;
        handedOut.set(slot(sequence), 1);
        holds.getAndIncrement();
    }

    private void giveBack(int slot) {
        handedOut.set(slot, 0);
        drop();
    }

    /** Whether it is a slot's memory. */
    boolean isIn(Slab slab) {
        return slab == memory;
    }

    /** It is offered. @return whether that is what lies at this address */
    boolean offer(long sequence, long address) {
        boolean isIt = isPending(sequence)
                && address == memory.memory().address() + offset + layout.slotOffset(sequence);
        if (isIt) {
            pending = NONE;
        }
        return isIt;
    }

    /** Nothing is handed out any more; the memory is unmapped as soon as all is given back. Idempotent. */
    void close() {
        if (isClosed.compareAndSet(false, true)) {
            drop();
        }
    }

    private void drop() {
        if (holds.decrementAndGet() == 0) {
            memory.close();
        }
    }
}
