package dev.verbena.transfer.protocol;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;

/**
 * The receivers of a device, by name for senders that ask, by number for immediates that arrive.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public final class ReceiverDirectory {
    /** The method by which a sender asks for slots. */
    static final String PLACEMENT = "verbena.placement";

    private final ConcurrentHashMap<String, StaticPlacementReceiver> byName = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Integer, StaticPlacementReceiver> byId = new ConcurrentHashMap<>();
    private final WaitingQueries waiting = new WaitingQueries();
    private final AtomicInteger ids = new AtomicInteger();

    /** An empty one, whose receivers are asked for and left through these methods. */
    public ReceiverDirectory(RpcMethods methods) {
        methods.add(PLACEMENT, this::place);
        methods.add(Farewell.OF_SENDER, this::onFarewell);
    }

    int nextId() {
        return ids.getAndIncrement();
    }

    /** Makes the receiver findable. */
    public void announce(StaticPlacementReceiver receiver) {
        byId.put(receiver.id(), receiver);
        if (byName.putIfAbsent(receiver.name(), receiver) != null) {
            byId.remove(receiver.id());
            throw new IllegalArgumentException("receiver '" + receiver.name() + "' exists already on this device");
        }
        for (WaitingQueries.Waiting each : waiting.take(receiver.name())) {
            each.peer().tell(Announcement.METHOD, new Announcement(each.senderId()).encode());
        }
    }

    /** The connection has ended: who has asked over it waits no more. */
    void forget(PeerConnection peer) {
        waiting.removeAll(peer);
    }

    void remove(StaticPlacementReceiver receiver) {
        byName.remove(receiver.name(), receiver);
        byId.remove(receiver.id(), receiver);
    }

    private byte[] place(PeerConnection peer, byte[] bytes) {
        PlacementRequest request = PlacementRequest.decode(bytes);
        if (request.queuePairIndex() < 0 || request.queuePairIndex() >= peer.dataQueuePairCount()) {
            throw new TransferException("no such queue pair: queuePairIndex=" + request.queuePairIndex());
        }
        if (request.stripes() < 1
                || request.stripes() > Math.min(Striping.QUEUE_PAIRS_MAX, peer.dataQueuePairCount())) {
            throw new TransferException("no so many queue pairs: stripes=" + request.stripes());
        }
        // Before it is looked for: whoever announces it meanwhile tells.
        waiting.add(peer, request.senderId(), request.name());
        boolean isWaiting = false;
        try {
            StaticPlacementReceiver receiver = byName.get(request.name());
            PlacementAnswer answer = receiver == null ? PlacementAnswer.NOT_YET : receiver.connect(peer, request);
            isWaiting = !answer.announced();
            return answer.encode();
        } finally {
            if (!isWaiting) {
                waiting.remove(peer, request.senderId());
            }
        }
    }

    /** From a receiver that is not there any more, or has another sender, this one has nothing to fear. */
    private byte[] onFarewell(PeerConnection peer, byte[] bytes) {
        Farewell farewell = Farewell.decode(bytes);
        if (farewell.receiverId() == Farewell.ANY_RECEIVER) {
            waiting.remove(peer, farewell.senderId());
            boolean areQuiet = true;
            for (StaticPlacementReceiver receiver : byId.values()) {
                areQuiet &= receiver.onSenderClosed(peer, farewell);
            }
            return Farewell.answer(areQuiet);
        }
        StaticPlacementReceiver receiver = byId.get(farewell.receiverId());
        return Farewell.answer(receiver == null || receiver.onSenderClosed(peer, farewell));
    }

    /** While driving. One that is not there any more has nothing to hear. */
    void onImmediate(PeerConnection peer, int queuePairIndex, int receiverId) {
        StaticPlacementReceiver receiver = byId.get(receiverId);
        if (receiver != null && !receiver.onArrival(peer, queuePairIndex)) {
            peer.fail("malformed: peer " + peer.name() + " says that a tensor arrived for receiver '" + receiver.name()
                    + "', which it does not send to");
        }
    }
}
