package dev.verbena.transfer;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.protocol.DynamicAllocationSender;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * Sends tensors of any type and shape to one {@link DynamicTensorReceiver} of a peer, which allocates each and reads it; dynamic allocation,
 * EuroSys'19 §3.3. Where all have one shape, a {@link TensorSender} needs no way back and forth.
 *
 * <p><b>Owner:</b> who made it with {@link RdmaChannel#dynamicSender}. <b>Threading:</b> offers by one thread at a time.
 *
 * <p>Offering throws {@link TransferException} once the peer is lost or a transfer failed, {@link IllegalStateException} when closed.
 */
public final class DynamicTensorSender implements AutoCloseable {
    private final RdmaDevice device;
    private final DynamicAllocationSender protocol;

    DynamicTensorSender(RdmaDevice device, DynamicAllocationSender protocol) {
        this.device = device;
        this.protocol = protocol;
    }

    /** Whether the tensor lies in memory registered with this sender's device, for peers to read, so that it can be offered without a copy. */
    public boolean isRegistered(Tensor tensor) {
        return device.isRegistered(tensor.slab())
                && ((MemoryRegion) tensor.slab()).rights().contains(AccessRight.REMOTE_READ);
    }

    /** Whether an offer would be taken now: of those that were, the receiver has read all but as many as it has slots for records. */
    public boolean isReady() {
        return protocol.isReady();
    }

    /**
     * Tells the receiver of the tensor, and pins it until the receiver has read it. To be closed at any time; not to be written to before the
     * callback.
     *
     * @param callback hears that it is read; may be null
     * @return BACK_PRESSURED if as many as the receiver has slots for records are not read yet; offer it again later
     * @throws IllegalArgumentException if the tensor is not {@linkplain #isRegistered registered}; use {@link #offerCopy} or allocate it from
     *         an arena over {@link RdmaDevice#readableSlabSource()}
     */
    public SendResult offer(Tensor tensor, SendCallback callback) {
        if (!isRegistered(tensor)) {
            throw new IllegalArgumentException(tensor + " is not in memory registered with device '" + device.name()
                    + "' for peers to read; allocate it from an arena over device.readableSlabSource(), import its memory with REMOTE_READ,"
                    + " or use offerCopy");
        }
        return protocol.offer(tensor, callback);
    }

    /**
     * Copies the tensor into a staging tensor of the registered arena and offers that.
     *
     * @return BACK_PRESSURED also if the arena has no room at present
     */
    public SendResult offerCopy(Tensor tensor, TensorArena staging, SendCallback callback) {
        return protocol.offerCopy(tensor, staging, callback);
    }

    /**
     * Offers the tensor as soon as there is room, and waits until it is read.
     *
     * @throws TransferException if that takes longer, the peer is lost, or the thread is interrupted: the tensor may arrive nevertheless if it
     *         was offered
     * @throws IllegalStateException also in a callback, which must not wait
     */
    public void send(Tensor tensor, Duration timeout) {
        AtomicReference<Object> outcome = new AtomicReference<>();
        SendCallback callback = failure -> outcome.set(failure == null ? Boolean.TRUE : failure);
        boolean[] isOffered = new boolean[1];
        boolean isDone = device.awaitWrite(() -> {
            isOffered[0] = isOffered[0] || offer(tensor, callback) == SendResult.SENT;
            return outcome.get() != null;
        }, timeout);
        if (outcome.get() instanceof TransferException failure) {
            throw failure;
        }
        if (!isDone) {
            throw new TransferException(
                    "peer " + receiverName() + " has not read " + tensor + " after " + timeout + ": "
                            + (isOffered[0] ? "it was told of it" : "it has not read those before")
                            + (Thread.currentThread().isInterrupted() ? "; interrupted" : ""));
        }
    }

    /** The name of the peer that receives. */
    public String receiverName() {
        return protocol.receiverName();
    }

    /** How the receiver sees that it is told of a tensor: {@link ArrivalMode#TAIL} or {@link ArrivalMode#IMMEDIATE}. */
    public ArrivalMode arrivalMode() {
        return protocol.tail() ? ArrivalMode.TAIL : ArrivalMode.IMMEDIATE;
    }

    /**
     * No more offers; waits until what was offered is read, whether the receiver is polled or not, for half a minute at most. A peer that takes
     * longer, such as one whose arena has no room, is cut off.
     */
    @Override
    public void close() {
        protocol.close();
    }
}
