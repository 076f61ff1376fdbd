package dev.verbena.transfer;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.protocol.MemoryCopies;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;

/**
 * One queue pair to one peer (EuroSys'19 §3.1, Table 1: RdmaChannel).
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public final class RdmaChannel {
    private final RdmaDevice device;
    private final PeerConnection peer;
    private final int queuePairIndex;
    private final MemoryCopies copies;

    RdmaChannel(RdmaDevice device, PeerConnection peer, int queuePairIndex, int depth) {
        this.device = device;
        this.peer = peer;
        this.queuePairIndex = queuePairIndex;
        this.copies = new MemoryCopies(peer, queuePairIndex, depth, device.capabilities().messageByteSizeMax());
    }

    /** The name that the peer gave itself. */
    public String peerName() {
        return peer.name();
    }

    /**
     * Copies between local and remote memory, asynchronously; both stay untouched by others until the callback.
     *
     * @param callback hears the end; may be null
     * @return BACK_PRESSURED when as many copies as the queue is deep are under way
     * @throws TransferException if the peer is lost
     * @throws IndexOutOfBoundsException if either range leaves its region
     */
    public SendResult memcpy(MemoryRegion local, long localOffset, RemoteRegion remote, long remoteOffset,
            long byteSize,
            Direction direction, SendCallback callback) {
        Objects.checkFromIndexSize(localOffset, byteSize, local.byteSize());
        Objects.checkFromIndexSize(remoteOffset, byteSize, remote.byteSize());
        if (!device.isRegistered(local)) {
            throw new IllegalArgumentException(
                    "the local region is not registered with device '" + device.name() + "'");
        }
        if (copies.failure() != null) {
            throw new TransferException("memcpy: " + copies.failure());
        }
        return copies.start(direction == Direction.LOCAL_TO_REMOTE ? Opcode.WRITE : Opcode.READ, local, localOffset,
                remote.address() + remoteOffset, remote.rkey(), byteSize, callback);
    }

    /**
     * As {@link #memcpy}, which it starts as soon as it may; the stage completes, on a thread that may wait, when the bytes are copied, or with
     * the {@link TransferException} that says why not. After the timeout the copy may still be under way.
     */
    public CompletionStage<Void> memcpyAsync(MemoryRegion local, long localOffset, RemoteRegion remote,
            long remoteOffset, long byteSize, Direction direction, Duration timeout) {
        return device.elsewhere(() -> {
            Outcome outcome = new Outcome();
            boolean isDone = device.awaitCompletion(() -> {
                outcome.isStarted = outcome.isStarted || memcpy(local, localOffset, remote, remoteOffset, byteSize,
                        direction, outcome) == SendResult.SENT;
                return outcome.isDone();
            }, timeout);
            outcome.check(isDone,
                    () -> "peer " + peerName() + " has not copied " + byteSize + " bytes after " + timeout);
            return null;
        });
    }

    /**
     * As {@link #sender}, without waiting: the stage completes, on a thread that may wait, with the sender or the
     * {@link TransferException}.
     */
    public CompletionStage<TensorSender> senderAsync(String name, ElementType type, Shape shape, Duration timeout) {
        return device.elsewhere(() -> sender(name, type, shape, timeout));
    }

    /**
     * The sending end for the peer's receiver of that name.
     *
     * @param timeout how long to wait until the peer has announced the receiver
     * @throws TransferException if it does not in time, takes another type or shape, or already has a sender
     */
    public TensorSender sender(String name, ElementType type, Shape shape, Duration timeout) {
        return sender(name, type, shape, "", timeout);
    }

    /**
     * The same, for a receiver that was made for that agreement.
     *
     * @param agreement in words; empty for none
     * @param timeout how long to wait until the peer has announced a receiver that has had no sender
     * @throws TransferException also if that one was made for another agreement; the message has both
     * @see RdmaDevice#receiver(String, dev.verbena.memory.TensorArena, ElementType, Shape, int, String)
     */
    public TensorSender sender(String name, ElementType type, Shape shape, String agreement, Duration timeout) {
        return device.connectSender(peer, queuePairIndex, name, type, shape, agreement, timeout);
    }

    /**
     * The sending end for the peer's receiver of that name, of tensors of any type and shape.
     *
     * @param timeout how long to wait until the peer has announced the receiver
     * @throws TransferException if it does not in time, takes tensors of one shape only, or already has a sender
     */
    public DynamicTensorSender dynamicSender(String name, Duration timeout) {
        return dynamicSender(name, "", timeout);
    }

    /** The same, for a receiver that was made for that agreement; see {@link #sender(String, ElementType, Shape, String, Duration)}. */
    public DynamicTensorSender dynamicSender(String name, String agreement, Duration timeout) {
        return device.connectDynamicSender(peer, queuePairIndex, name, agreement, false, timeout);
    }

    /**
     * As {@link #dynamicSender(String, String, Duration)}, for a receiver that borrows: {@link DynamicTensorSender#lend} then moves nothing where
     * the fabric maps memory of peers.
     *
     * @throws TransferException also if the receiver was not made to borrow
     * @see RdmaDevice#borrowingReceiver
     */
    public DynamicTensorSender lendingSender(String name, String agreement, Duration timeout) {
        return device.connectDynamicSender(peer, queuePairIndex, name, agreement, true, timeout);
    }

    /**
     * The sending end for the peer's receiver of that name, of tensors by name and step.
     *
     * @param options of which the depth is the receiver's
     * @param timeout how long to wait until the peer has announced the receiver
     * @throws TransferException if it does not in time, takes other tensors, or already has a sender
     */
    public ExchangeSender exchangeSender(String name, ExchangeOptions options, Duration timeout) {
        return device.connectExchangeSender(peer, queuePairIndex, name, options, timeout);
    }
}
