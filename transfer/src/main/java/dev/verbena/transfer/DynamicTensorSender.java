package dev.verbena.transfer;

import java.time.Duration;

import dev.verbena.memory.Slab;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorView;
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
    private final WaitingSends sends;

    DynamicTensorSender(RdmaDevice device, DynamicAllocationSender protocol) {
        this.device = device;
        this.protocol = protocol;
        sends = new WaitingSends(device, new Offering());
    }

    /** Whether the tensor lies in memory registered with this sender's device, for peers to read, so that it can be offered without a copy. */
    public boolean isRegistered(Tensor tensor) {
        return isReadable(tensor.slab());
    }

    /** As {@link #isRegistered(Tensor)}, of a view's tensor. */
    public boolean isRegistered(TensorView view) {
        return isReadable(view.slab());
    }

    private boolean isReadable(Slab slab) {
        return device.isRegistered(slab) && ((MemoryRegion) slab).rights().contains(AccessRight.REMOTE_READ);
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
        requireRegistered(isRegistered(tensor), tensor);
        return protocol.offer(tensor, callback);
    }

    /**
     * As {@link #offer(Tensor, SendCallback)}, of a contiguous view, such as some rows of a tensor, which may be closed at once.
     *
     * @throws IllegalArgumentException also if it is not contiguous, since the receiver reads one piece; use {@link #offerCopy}
     * @throws IllegalStateException also if the view is closed
     */
    public SendResult offer(TensorView view, SendCallback callback) {
        requireRegistered(isRegistered(view), view);
        return protocol.offer(view, callback);
    }

    /**
     * Tells the receiver that there is no tensor this time, in place of one: a dead tensor, such as that of a branch which was not taken.
     *
     * @param callback hears that the receiver knows; may be null
     * @return BACK_PRESSURED as of a tensor
     */
    public SendResult offerDead(SendCallback callback) {
        return protocol.offerDead(callback);
    }

    /**
     * Whether {@link #lend} lends: this is a {@linkplain RdmaChannel#lendingSender lending sender}, and the fabric maps memory of peers.
     */
    public boolean lends() {
        return protocol.lends();
    }

    /**
     * Lends the tensor: the receiver uses it where it lies, and nothing is moved. It stays pinned, and is not to be written to, until the receiver
     * has given it back, whether this sender is closed meanwhile or not; of a receiver that is lost, until it is certain that it reads nothing any
     * more. To be closed at any time. Where nothing is lent, {@link #lends}, this is {@link #offer(Tensor, SendCallback)}.
     *
     * @param callback hears that it is given back; may be null
     * @return BACK_PRESSURED if the receiver has as many as it has slots for records before itself, or 1024 are on loan; lend it again later
     * @throws IllegalArgumentException as offer
     */
    public SendResult lend(Tensor tensor, SendCallback callback) {
        requireRegistered(isRegistered(tensor), tensor);
        return protocol.lend(tensor, callback);
    }

    /** As {@link #lend}, of what the caller has copied into registered memory, for this receiver or for several: counted as {@link #offerCopied} does. */
    public SendResult lendCopied(Tensor copy, SendCallback callback) {
        requireRegistered(isRegistered(copy), copy);
        return protocol.lendCopied(copy, callback);
    }

    /** Tensors that are lent and not given back. */
    public int onLoan() {
        return protocol.onLoan();
    }

    private void requireRegistered(boolean isRegistered, Object offered) {
        if (!isRegistered) {
            throw new IllegalArgumentException(offered + " is not in memory registered with device '" + device.name()
                    + "' for peers to read; allocate it from an arena over device.readableSlabSource(), import its memory with REMOTE_READ,"
                    + " or use offerCopy");
        }
    }

    /**
     * Copies the tensor into a staging tensor of the registered arena and offers that.
     *
     * @return BACK_PRESSURED also if the arena has no room at present
     */
    public SendResult offerCopy(Tensor tensor, TensorArena staging, SendCallback callback) {
        return protocol.offerCopy(tensor, staging, callback);
    }

    /** As {@link #offerCopy(Tensor, TensorArena, SendCallback)}, of a view; its runs are gathered one by one. */
    public SendResult offerCopy(TensorView view, TensorArena staging, SendCallback callback) {
        return protocol.offerCopy(view, staging, callback);
    }

    /**
     * As {@link #offer(Tensor, SendCallback)}, of what the caller has copied into registered memory, for this receiver or for several: counted as a
     * copy here, and nowhere else if the others are offered it as it is.
     */
    public SendResult offerCopied(Tensor copy, SendCallback callback) {
        requireRegistered(isRegistered(copy), copy);
        return protocol.offerCopied(copy, callback);
    }

    /**
     * Offers the tensor as soon as there is room, and waits until it is read.
     *
     * @throws TransferException if that takes longer, the peer is lost, or the thread is interrupted: the tensor may arrive nevertheless if it
     *         was offered
     * @throws IllegalStateException also in a callback, which must not wait
     */
    public void send(Tensor tensor, Duration timeout) {
        sends.send(tensor, timeout);
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
     * longer, such as one whose arena has no room, is cut off. What is on loan stays so.
     */
    @Override
    public void close() {
        protocol.close();
    }

    /** For those who wait. */
    private final class Offering implements WaitingSends.Offering {
        @Override
        public SendResult offer(Tensor tensor, SendCallback callback) {
            return DynamicTensorSender.this.offer(tensor, callback);
        }

        @Override
        public String complaint(Tensor tensor, Duration timeout, boolean isOffered) {
            return "peer " + receiverName() + " has not read " + tensor + " after " + timeout + ": "
                    + (isOffered ? "it was told of it" : "it has not read those before");
        }
    }
}
