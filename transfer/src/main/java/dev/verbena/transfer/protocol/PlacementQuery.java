package dev.verbena.transfer.protocol;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * Asks a peer for the slots of a receiver: the address distribution of EuroSys'19 §3.4, off the path of any tensor. A peer that has no such
 * receiver yet keeps the question in mind and tells when it has one; then it is asked again, and not before.
 *
 * <p><b>Owner:</b> {@link SenderDirectory}, as long as the question is open. <b>Threading:</b> {@link #sender} blocks its caller; what the peer
 * tells is heard while driving.
 */
public final class PlacementQuery {
    /** A question asked in time may be answered later. */
    private static final long ANSWER_NS = 5_000_000_000L;

    private final PlacementRequest request;
    private final PeerConnection peer;
    private final AtomicReference<QueryState> state = new AtomicReference<>(QueryState.OUTDATED);

    private PlacementQuery(PlacementRequest request, PeerConnection peer) {
        this.request = request;
        this.peer = peer;
    }

    /** The sender for the peer's receiver of that name. */
    public static StaticPlacementSender sender(SenderDirectory directory, String name, ElementType type, Shape shape,
            PeerConnection peer, int queuePairIndex, Striping striping, ControlMemory memory,
            Capabilities capabilities, TransferCounters counters, String agreement, Duration timeout) {
        return sender(PlacementProtocol.STATIC, directory, name, type, shape, peer, queuePairIndex, striping, memory,
                capabilities, counters, agreement, timeout);
    }

    /** The same, of tensors whose type and shape are known only when they are offered. */
    public static DynamicAllocationSender dynamicSender(SenderDirectory directory, String name, PeerConnection peer,
            int queuePairIndex, ControlMemory memory, Capabilities capabilities, TransferCounters counters,
            String agreement, boolean mayLend, Duration timeout) {
        // The tensors count, not their records.
        StaticPlacementSender records = sender(mayLend ? PlacementProtocol.LENDING : PlacementProtocol.DYNAMIC,
                directory, name,
                DynamicAllocationReceiver.RECORD_TYPE,
                DynamicAllocationReceiver.RECORD_SHAPE, peer, queuePairIndex, Striping.none(), memory, capabilities,
                new TransferCounters(), agreement, timeout);
        counters.onArrivalChosen(records.arrivalReason());
        try {
            Loans loans = mayLend && capabilities.mapsPeerMemory() ? new Loans(records, counters) : null;
            return new DynamicAllocationSender(records, memory.messages(), counters, loans);
        } catch (RuntimeException e) {
            records.close();
            throw e;
        }
    }

    /** The same, for a protocol over the slots. */
    public static StaticPlacementSender sender(PlacementProtocol protocol, SenderDirectory directory, String name,
            ElementType type, Shape shape, PeerConnection peer, int queuePairIndex, Striping striping,
            ControlMemory memory, Capabilities capabilities, TransferCounters counters, String agreement,
            Duration timeout) {
        Tensor acknowledgement = memory.words().allocate(ElementType.INT64,
                Shape.of(SlotLayout.LINE / SlotLayout.WORD
                        + (protocol == PlacementProtocol.LENDING ? Loans.MAX : 0)));
        PlacementQuery query = null;
        try {
            MemoryRegion region = (MemoryRegion) acknowledgement.slab();
            List<EngineQueuePair> queuePairs = peer.dataQueuePairsFrom(queuePairIndex);
            int stripes = striping.stripeCount(shape.byteSize(type), queuePairs.size());
            PlacementRequest request = new PlacementRequest(protocol, name, type, shape, directory.nextId(),
                    queuePairIndex, stripes, EngineQueuePair.areInOrder(queuePairs.subList(0, stripes)),
                    region.address() + acknowledgement.slabOffset(), region.rkey(), agreement);
            acknowledgement.memory().fill((byte) 0);
            query = new PlacementQuery(request, peer);
            directory.add(query);
            PlacementAnswer answer = query.ask(timeout);
            StaticPlacementSender sender = new StaticPlacementSender(directory, request, answer, peer, acknowledgement,
                    memory.messages(), capabilities, counters);
            directory.add(sender);
            return sender;
        } catch (RuntimeException e) {
            peer.giveBack(acknowledgement);
            throw e;
        } finally {
            if (query != null) {
                directory.remove(query);
            }
        }
    }

    int senderId() {
        return request.senderId();
    }

    PeerConnection peer() {
        return peer;
    }

    /** The peer has a receiver of the name now. While driving; perhaps before it is known that it had none. */
    void onAnnounced() {
        move(QueryState.OUTDATED);
    }

    private PlacementAnswer ask(Duration timeout) {
        byte[] message = request.encode();
        long deadlineNs = peer.engines().nanoTime() + timeout.toNanos();
        try {
            while (true) {
                move(QueryState.ASKING);
                long leftNs = deadlineNs - peer.engines().nanoTime();
                PlacementAnswer answer = call(message, Duration.ofNanos(Math.max(leftNs, 0) + ANSWER_NS));
                if (answer.announced()) {
                    return answer;
                }
                move(QueryState.WAITING);
                awaitAnnouncement(deadlineNs, timeout);
            }
        } finally {
            move(QueryState.OVER);
        }
    }

    private void awaitAnnouncement(long deadlineNs, Duration timeout) {
        boolean isAnnounced = peer.engines().await(
                () -> state.get() == QueryState.OUTDATED || peer.failure() != null,
                deadlineNs - peer.engines().nanoTime());
        if (peer.failure() != null) {
            throw new TransferException("sender '" + request.name() + "': " + peer.failure());
        }
        if (!isAnnounced || peer.engines().nanoTime() - deadlineNs >= 0) {
            peer.tell(Farewell.OF_SENDER, nobodyComes().encode());
            throw new TransferException("peer " + peer.name() + " has no receiver '" + request.name() + "' after "
                    + TimeUnit.NANOSECONDS.toMillis(timeout.toNanos()) + " ms; create it there first");
        }
    }

    /** Without an answer it is not known whether the receiver is bound: so it is told that nobody comes. */
    private PlacementAnswer call(byte[] message, Duration timeout) {
        try {
            return PlacementAnswer.decode(peer.call(ReceiverDirectory.PLACEMENT, message, timeout));
        } catch (TransferException e) {
            peer.takeLeave(Farewell.OF_SENDER, nobodyComes(), "sender '" + request.name() + "'",
                    PeerConnection.FAREWELL_NS);
            throw e;
        }
    }

    private Farewell nobodyComes() {
        return new Farewell(Farewell.ANY_RECEIVER, request.senderId(), 0);
    }

    /** What is not legal has been overtaken: an answer by an announcement, an announcement by the end. */
    private void move(QueryState next) {
        QueryState present = state.get();
        while (present.allows(next) && !state.compareAndSet(present, next)) {
            present = state.get();
        }
    }
}
