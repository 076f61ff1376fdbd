package dev.verbena.transfer;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.engine.Awaited;
import dev.verbena.transfer.protocol.DynamicAllocationReceiver;
import dev.verbena.transfer.spi.PeerMemory;

/**
 * Receives tensors of any type and shape: allocates each in its arena when a peer tells of it, and reads it from the peer's memory; dynamic
 * allocation, EuroSys'19 §3.3. It reads ahead of who polls, as many tensors as the peer may tell of at a time, and as many again when the
 * sender closes.
 *
 * <p>A sender that closes leaves its place to another, which goes on where it stopped.
 *
 * <p><b>Owner:</b> who made it with {@link RdmaDevice#dynamicReceiver}; closed before its arena.
 * <b>Threading:</b> polled by one thread at a time.
 */
public final class DynamicTensorReceiver implements AutoCloseable {
    private final RdmaDevice device;
    private final DynamicAllocationReceiver protocol;
    /** What the polling thread waits with; its own. */
    private TensorLease waiting;
    private boolean isTaken;
    private final Arrival arrival = new Arrival(this::pollForWaiting);

    DynamicTensorReceiver(RdmaDevice device, DynamicAllocationReceiver protocol) {
        this.device = device;
        this.protocol = protocol;
    }

    /**
     * The next tensor in order, which is the caller's from then on, or null if it is not here yet: perhaps {@link #isOutOfMemory}. Null also
     * while the next one is dead: {@link #pollDead}.
     *
     * @throws TransferException when nothing more has come and the sender is lost
     */
    public Tensor poll() {
        return protocol.poll();
    }

    /**
     * The next tensor in order, which may take a while.
     *
     * @return null if it has not come in time, or is dead: {@link #pollDead}
     * @throws OutOfArenaMemoryException if it has not, and the arena has no room for it; nothing is lost, poll again when something is freed
     * @throws TransferException when nothing more has come and the sender is lost, or the thread is interrupted
     * @throws IllegalStateException also in a callback, which must not wait
     */
    public Tensor poll(Duration timeout) {
        Tensor[] arrived = new Tensor[1];
        await(new Arrival(() -> (arrived[0] = protocol.poll()) != null || protocol.isNextDead()), timeout);
        return arrived[0];
    }

    /**
     * As {@link #poll()}, without any object: lends the tensor to a lease that holds none, which is the caller's own and is used again and
     * again. Its {@link TensorLease#tensor()} says type and shape, and cannot be offered. Memory that was lent and is given up, with all leases
     * that were shared from it, is kept for the next tensor of the same type and shape, or makes room for one of another; of shapes that come in
     * turn, up to 16 are kept beside each other. The arena has it back when the receiver is closed.
     *
     * @return false if nothing is here yet, or what is here is dead: {@link #pollDead}
     * @throws IllegalStateException also if the lease holds a tensor
     */
    public boolean poll(TensorLease lease) {
        return protocol.poll(lease);
    }

    /** As {@link #poll(TensorLease)}, which may take a while, as {@link #poll(Duration)} does. */
    public boolean poll(TensorLease lease, Duration timeout) {
        waiting = lease;
        isTaken = false;
        return await(arrival, timeout) && isTaken;
    }

    /**
     * Takes the next tensor in order if it is dead: there is none this time, {@link DynamicTensorSender#offerDead}. Until it is taken, nothing
     * behind it comes.
     *
     * @return false if nothing is here yet, or a tensor is
     * @throws TransferException as {@link #poll()}
     */
    public boolean pollDead() {
        return protocol.pollDead();
    }

    private boolean pollForWaiting() {
        isTaken = protocol.poll(waiting);
        return isTaken || protocol.isNextDead();
    }

    private boolean await(Arrival arrival, Duration timeout) {
        boolean hasArrived = device.awaitArrival(arrival, protocol.arrivesByWrite(), timeout);
        if (!hasArrived) {
            if (Thread.currentThread().isInterrupted()) {
                throw new TransferException("interrupted while waiting for " + senderName());
            }
            String need = protocol.awaitsMemory();
            if (need != null) {
                throw new OutOfArenaMemoryException(need + "; free some, or give it a larger budget");
            }
        }
        return hasArrived;
    }

    /** Whether the next tensor waits for room in the arena. A poll after something was freed looks again. */
    public boolean isOutOfMemory() {
        return protocol.isOutOfMemory();
    }

    /**
     * Whether tensors that are lent are used where they lie: the receiver borrows, and so does its present sender lend, on a fabric that maps
     * memory of peers. False before there is a sender.
     */
    public boolean borrows() {
        return protocol.borrows();
    }

    /**
     * Whether the tensor lies in memory of a peer that has lent it: it can be read until it is closed, whatever becomes of that peer, and not
     * written to; closing it gives it back.
     */
    public static boolean isBorrowed(Tensor tensor) {
        return tensor.slab() instanceof PeerMemory;
    }

    /** How it is seen that there is a tensor: {@link ArrivalMode#TAIL} or {@link ArrivalMode#IMMEDIATE}. */
    public ArrivalMode arrivalMode() {
        return protocol.arrivalMode();
    }

    /** The name of the peer that sends, for messages. */
    public String senderName() {
        return protocol.senderName();
    }

    /**
     * Waits until nothing is read any more, tells the sender, whose tensors that were not read are told to have failed, and frees what nobody
     * has polled. A peer that does not answer for five seconds is cut off.
     */
    @Override
    public void close() {
        protocol.close();
    }

    /** What a poll with a deadline waits for: the tensor, or memory for it. */
    private final class Arrival implements Awaited {
        private final BooleanSupplier hasCome;

        Arrival(BooleanSupplier hasCome) {
            this.hasCome = hasCome;
        }

        @Override
        public boolean getAsBoolean() {
            return hasCome.getAsBoolean();
        }

        @Override
        public boolean mayHoldUntold() {
            return protocol.isOutOfMemory();
        }
    }
}
