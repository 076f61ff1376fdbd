package dev.verbena.transfer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorView;
import dev.verbena.transfer.protocol.StaticPlacementSender;

/**
 * Sends tensors of one type and shape into the slots of one {@link TensorReceiver} of a peer; static placement, EuroSys'19 §3.2.
 *
 * <p><b>Owner:</b> who made it with {@link RdmaChannel#sender}. <b>Threading:</b> offers by one thread at a time.
 *
 * <p>Offering throws {@link TransferException} once the peer is lost or a transfer failed, {@link IllegalStateException} when
 * closed, {@link IllegalArgumentException} for a tensor of another type or shape.
 */
public final class TensorSender implements AutoCloseable {
    private final RdmaDevice device;
    private final StaticPlacementSender protocol;
    private final WaitingSends.Offering offering = new Offering();
    private final WaitingSends sends;
    /** Of those that were given to {@link #sendAsync}. */
    private CompletableFuture<Void> lastOffered = CompletableFuture.completedFuture(null);

    TensorSender(RdmaDevice device, StaticPlacementSender protocol) {
        this.device = device;
        this.protocol = protocol;
        sends = new WaitingSends(device, offering);
    }

    /**
     * Whether the tensor lies in memory registered with this sender's device, or in the receiver's slot that it was {@linkplain #place placed}
     * in, so that it can be offered without a copy.
     */
    public boolean isRegistered(Tensor tensor) {
        return device.isRegistered(tensor.slab()) || protocol.isPlaced(tensor.slab());
    }

    /** Whether the view's tensor lies in memory registered with this sender's device. */
    public boolean isRegistered(TensorView view) {
        return device.isRegistered(view.slab());
    }

    /** Whether an offer would be taken now: a slot is free. */
    public boolean isReady() {
        return protocol.isReady();
    }

    /**
     * Writes the tensor into the receiver's next slot without copying it here; pins it until the write is done, if that is not before this returns.
     *
     * @param callback hears when the write is done; may be null
     * @return BACK_PRESSURED if no slot is free; offer it again later
     * @throws IllegalArgumentException also if the tensor is not registered; use {@link #offerCopy} or allocate it from an arena
     *         over {@link RdmaDevice#slabSource()}
     */
    public SendResult offer(Tensor tensor, SendCallback callback) {
        requireRegistered(isRegistered(tensor), tensor);
        return protocol.offer(tensor, callback);
    }

    /**
     * As {@link #offer(Tensor, SendCallback)}, of a view of the sender's type and shape, which may be closed at once. One that is not
     * contiguous is gathered by the device, within one write.
     *
     * @throws IllegalArgumentException also if it has more {@linkplain dev.verbena.memory.ByteRuns runs} than a write has elements, which is
     *         {@code device.capabilities().elementCountMax()}, less one where arrival is seen in the tail; use {@link #offerCopy}
     * @throws IllegalStateException also if the view is closed, or a view of INT4 has pieces that begin or end within a byte
     */
    public SendResult offer(TensorView view, SendCallback callback) {
        requireRegistered(isRegistered(view), view);
        return protocol.offer(view, callback);
    }

    private void requireRegistered(boolean isRegistered, Object offered) {
        if (!isRegistered) {
            throw new IllegalArgumentException(offered + " is not in memory registered with device '" + device.name()
                    + "'; allocate it from an arena over device.slabSource(), or use offerCopy");
        }
    }

    /**
     * Whether the fabric maps the receiver's slots here, so that {@link #place} gives tensors in them: destination placement. Elsewhere the
     * same program sends from the arena that it gives.
     */
    public boolean placesTensors() {
        return protocol.placesTensors();
    }

    /**
     * The next tensor to send, to be computed and then {@linkplain #offer(Tensor, SendCallback) offered}. Where the fabric
     * {@linkplain #placesTensors maps} the receiver's slots it lies in the next one of them, with whatever was there before, and offering it
     * moves nothing; from then on it is the receiver's, and untouched here. Elsewhere it is a tensor of the arena.
     *
     * <p>The caller closes it, when it is offered or if it is not to be sent. Until it is, what is in the slot's turn next is this one: one
     * at a time, and its slot is not used again. A receiver that closes waits for that too, and cuts a sender off that does not do so for five
     * seconds; the memory stays usable here, and out of use there, until it is closed.
     *
     * @param elsewhere over {@link RdmaDevice#slabSource()} of this device
     * @return null if no slot is free or the arena has no room at present
     * @throws IllegalStateException also if the one before is neither offered nor closed
     * @throws TransferException also if the peer's memory cannot be mapped
     */
    public Tensor place(TensorArena elsewhere) {
        return protocol.place(elsewhere);
    }

    /**
     * As {@link #place(TensorArena)}, without any object: lends the receiver's next slot to a lease that holds none, whose
     * {@link TensorLease#memory()} is to be computed, and which is then {@linkplain #offer(TensorLease, SendCallback) offered} and given up.
     *
     * @return false if no slot is free
     * @throws UnsupportedOperationException if the fabric cannot: {@link #placesTensors}
     * @throws IllegalStateException also if the one before is neither offered nor given up, or the lease holds a tensor
     */
    public boolean place(TensorLease lease) {
        return protocol.place(lease);
    }

    /**
     * Offers what was {@linkplain #place(TensorLease) placed} last, which always has its slot.
     *
     * @return SENT
     * @throws IllegalStateException also if that is not what the lease holds, or was offered before
     */
    public SendResult offer(TensorLease placed, SendCallback callback) {
        return protocol.offer(placed, callback);
    }

    /**
     * Copies the tensor into a staging tensor of the registered arena and sends that: the paper's RDMA.cp.
     *
     * @return BACK_PRESSURED if no slot is free or the arena has no room at present
     */
    public SendResult offerCopy(Tensor tensor, TensorArena staging, SendCallback callback) {
        return protocol.offerCopy(tensor, staging, callback);
    }

    /** As {@link #offerCopy(Tensor, TensorArena, SendCallback)}, of a view; its runs are copied one by one. */
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

    /** How the receiver sees arrivals: {@link ArrivalMode#TAIL} or {@link ArrivalMode#IMMEDIATE}. */
    public ArrivalMode arrivalMode() {
        return protocol.tail() ? ArrivalMode.TAIL : ArrivalMode.IMMEDIATE;
    }

    /** The name of the peer that receives. */
    public String receiverName() {
        return protocol.receiverName();
    }

    /**
     * Offers the tensor as soon as a slot is free, and waits until it is written.
     *
     * @throws TransferException if that takes longer, the peer is lost, or the thread is interrupted: the tensor may arrive nevertheless if it
     *         was offered
     * @throws IllegalStateException also in a callback, which must not wait
     */
    public void send(Tensor tensor, Duration timeout) {
        sends.send(tensor, timeout);
    }

    /**
     * As {@link #send}, without waiting: the stage completes, on a thread that may wait, when the tensor is written, or with the
     * {@link TransferException} that says why not. Tensors are offered in the order of these calls, which are made by one thread at a time and
     * not mixed with others; the tensor stays open until then.
     */
    public CompletionStage<Void> sendAsync(Tensor tensor, Duration timeout) {
        return sendAsync(tensor, timeout, () -> {});
    }

    /** {@code onOffered} hears, on a thread that drives, that the tensor has its slot. */
    CompletableFuture<Void> sendAsync(Tensor tensor, Duration timeout, Runnable onOffered) {
        CompletableFuture<Void> before = lastOffered;
        CompletableFuture<Void> offered = new CompletableFuture<>();
        lastOffered = offered;
        return device.elsewhere(() -> {
            before.join();
            try {
                new WaitingSends(device, offering).send(tensor, timeout, () -> {
                    offered.complete(null);
                    onOffered.run();
                });
            } finally {
                offered.complete(null);
            }
            return null;
        });
    }

    /**
     * This sender for a publisher's tensors, which are closed when they are written; each within the timeout. The sender is closed when the
     * publisher completes, and is used for nothing else meanwhile.
     */
    public TensorSubscriber subscriber(Duration timeout) {
        return new TensorSubscriber(this, protocol.depth(), timeout);
    }

    /** Closes it, without waiting. */
    CompletableFuture<Void> closeAsync() {
        return device.elsewhere(() -> {
            close();
            return null;
        });
    }

    /** Fails the connection with that cause. */
    void fail(String cause) {
        protocol.failConnection(cause);
    }

    /**
     * No more offers; waits until what was offered has left, for half a minute at most, and the receiver writes no acknowledgement any more.
     * A peer that does not answer for five seconds is cut off.
     *
     * @throws IllegalStateException if a tensor that it placed in the receiver's slot is open, unless the connection has failed
     */
    @Override
    public void close() {
        protocol.close();
    }

    /** For those who wait. */
    private final class Offering implements WaitingSends.Offering {
        @Override
        public SendResult offer(Tensor tensor, SendCallback callback) {
            return TensorSender.this.offer(tensor, callback);
        }

        @Override
        public String complaint(Tensor tensor, Duration timeout, boolean isOffered) {
            return "peer " + receiverName() + " has not taken " + tensor + " after " + timeout + ": "
                    + (isOffered ? "it is being written" : "no slot is free");
        }
    }
}
