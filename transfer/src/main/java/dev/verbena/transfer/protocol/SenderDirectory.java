package dev.verbena.transfer.protocol;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The senders of a device, by number for receivers that close.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public final class SenderDirectory {
    private final ConcurrentHashMap<Integer, StaticPlacementSender> byId = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();

    /** Questions that are open. */
    private final ConcurrentHashMap<Integer, PlacementQuery> queries = new ConcurrentHashMap<>();

    /** An empty one, whose senders hear of receivers that come and close through these methods. */
    public SenderDirectory(RpcMethods methods) {
        methods.add(Announcement.METHOD, this::onAnnouncement);
        methods.add(Farewell.OF_RECEIVER, this::onFarewell);
    }

    int nextId() {
        return ids.getAndIncrement();
    }

    void add(PlacementQuery query) {
        queries.put(query.senderId(), query);
    }

    void remove(PlacementQuery query) {
        queries.remove(query.senderId(), query);
    }

    /** To a question that is not open any more it says nothing. */
    private byte[] onAnnouncement(PeerConnection peer, byte[] bytes) {
        PlacementQuery query = queries.get(Announcement.decode(bytes).senderId());
        if (query != null && query.peer() == peer) {
            query.onAnnounced();
        }
        return Announcement.ANSWER;
    }

    void add(StaticPlacementSender sender) {
        byId.put(sender.id(), sender);
    }

    void remove(StaticPlacementSender sender) {
        byId.remove(sender.id(), sender);
    }

    /** Closes all, after their connections. */
    public void close() {
        List.copyOf(byId.values()).forEach(StaticPlacementSender::close);
    }

    /** One that is not there any more, or is another peer's, writes nothing for this one. */
    private byte[] onFarewell(PeerConnection peer, byte[] bytes) {
        StaticPlacementSender sender = byId.get(Farewell.decode(bytes).senderId());
        return Farewell.answer(sender == null || sender.peer() != peer || sender.onReceiverClosed());
    }
}
