package dev.verbena.transfer.protocol;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.transfer.TransferException;

/**
 * Senders of peers that have asked for receivers which are not there yet.
 *
 * <p><b>Owner:</b> {@link ReceiverDirectory}. <b>Threading:</b> thread-safe.
 */
final class WaitingQueries {
    /** Of one peer; who asks for more is refused. */
    static final int COUNT_MAX = 1024;

    /** One of them. */
    record Waiting(PeerConnection peer, int senderId) {}

    /** The names by the senders' numbers. Guarded by this. */
    private final Map<PeerConnection, Map<Integer, String>> byPeer = new HashMap<>();

    synchronized void add(PeerConnection peer, int senderId, String name) {
        Map<Integer, String> ofPeer = byPeer.computeIfAbsent(peer, first -> new HashMap<>());
        if (ofPeer.size() == COUNT_MAX && !ofPeer.containsKey(senderId)) {
            throw new TransferException("more than " + COUNT_MAX + " senders of one peer wait for receivers");
        }
        ofPeer.put(senderId, name);
    }

    synchronized void remove(PeerConnection peer, int senderId) {
        Map<Integer, String> ofPeer = byPeer.get(peer);
        if (ofPeer != null && ofPeer.remove(senderId) != null && ofPeer.isEmpty()) {
            byPeer.remove(peer);
        }
    }

    synchronized void removeAll(PeerConnection peer) {
        byPeer.remove(peer);
    }

    /** Who has asked for that name; they do not wait any more. */
    synchronized List<Waiting> take(String name) {
        List<Waiting> taken = new ArrayList<>();
        byPeer.forEach((peer, names) -> names.forEach((senderId, wanted) -> {
            if (wanted.equals(name)) {
                taken.add(new Waiting(peer, senderId));
            }
        }));
        taken.forEach(each -> remove(each.peer(), each.senderId()));
        return taken;
    }

    /** How many wait. */
    synchronized int count() {
        return byPeer.values().stream().mapToInt(Map::size).sum();
    }
}
