package dev.verbena.transfer.fabric.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.fabric.control.ControlSocket;
import dev.verbena.transfer.fabric.control.ControlledConnection;
import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.fabric.verbs.cm.CmLink;
import dev.verbena.transfer.fabric.verbs.cm.CmToken;
import dev.verbena.transfer.spi.QueuePair;

/**
 * A connection: queue pairs, and the control socket over which both sides tell why something failed and that they
 * leave.
 *
 * <p>Threading: thread-safe.
 */
final class VerbsConnection extends ControlledConnection {
    private static final Logger LOGGER = LoggerFactory.getLogger(VerbsConnection.class);
    private static final int FAREWELL_BYTE_SIZE_MAX = 4096;
    static final String UNREACHABLE = "queue pairs cannot be connected: ";

    private final VerbsFabric fabric;
    private final List<VerbsQueuePair> queuePairs;
    /** Of each queue pair, where they are connected through the connection manager. */
    private final List<CmLink> links;
    private final CmToken token;
    /** Whether this side connects, and so is the first to send. */
    private final boolean begins;

    VerbsConnection(VerbsFabric fabric, ControlSocket socket, List<VerbsQueuePair> queuePairs, List<CmLink> links,
            CmToken token, boolean begins, VerbsHello peer) throws IOException {
        super(fabric, socket, peer.name(), peer.listening());
        this.fabric = fabric;
        this.queuePairs = queuePairs;
        this.links = links;
        this.token = token;
        this.begins = begins;
        queuePairs.forEach(queuePair -> queuePair.belongTo(this));
    }

    @Override
    protected void whenReachable(Consumer<String> then) {
        if (links.isEmpty()) {
            then.accept(null);
            return;
        }
        AtomicInteger left = new AtomicInteger(links.size());
        AtomicBoolean hasFailed = new AtomicBoolean();
        links.forEach(link -> link.whenDecided(cause -> {
            if (cause != null && !hasFailed.getAndSet(true)) {
                then.accept(UNREACHABLE + cause);
            } else if (cause == null && left.decrementAndGet() == 0) {
                onReached();
                then.accept(null);
            }
        }));
    }

    private void onReached() {
        fabric.forget(token);
        for (int i = 0; i < links.size(); i++) {
            queuePairs.get(i).askForOrder();
            if (begins) {
                queuePairs.get(i).begin();
            }
            links.get(i).onEnd(queuePairs.get(i).inquiry()::end);
        }
    }

    @Override
    public List<QueuePair> queuePairs() {
        return List.copyOf(queuePairs);
    }

    /** The pollers have seen them since they were made. */
    @Override
    protected void attach() {}

    /** Called by the pollers when a queue pair failed. A peer that is gone needs to hear nothing. */
    void send(Frame.Type type, ByteBuffer payload) {
        try {
            socket().send(type, payload);
        } catch (IOException e) {
            LOGGER.trace("the peer is gone; the control thread sees it too", e);
        }
    }

    // ---- the control thread's part ----

    @Override
    protected void onSocketEnd() {
        lose(false, peer() + " died");
    }

    @Override
    protected void onFrame(Frame frame) throws ProtocolException {
        switch (frame.type()) {
            case FAILED -> {
                FailedRequest failed = FailedRequest.decode(frame.payload(), queuePairs.size());
                queuePairs.get(failed.queuePair()).inquiry().peerAsks(failed);
            }
            case VERDICT -> {
                Verdict verdict = Verdict.decode(frame.payload(), queuePairs.size());
                queuePairs.get(verdict.queuePair()).inquiry().peerTells(verdict);
            }
            case SUSPECTS -> {
                Suspects suspects = Suspects.decode(frame.payload(), queuePairs.size());
                queuePairs.get(suspects.queuePair()).inquiry().peerSuspects(suspects);
            }
            case FAREWELL -> onFarewell(frame.payload());
            default -> throw new ProtocolException("unexpected " + frame.type());
        }
    }

    private void onFarewell(ByteBuffer payload) throws ProtocolException {
        if (!payload.hasRemaining()) {
            throw new ProtocolException("malformed farewell");
        }
        boolean orderly = payload.get() != 0;
        String text = StandardCharsets.UTF_8.decode(payload).toString().replaceAll("\\p{Cntrl}", " ");
        lose(orderly, peer() + " " + text);
    }

    @Override
    protected void loseQueuePairs(String cause) {
        queuePairs.forEach(queuePair -> queuePair.inquiry().lose(cause));
    }

    // ---- ends ----

    @Override
    protected void sayFarewell(boolean orderly, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int byteSize = Math.min(bytes.length, FAREWELL_BYTE_SIZE_MAX);
        send(Frame.Type.FAREWELL,
                ByteBuffer.allocate(1 + byteSize).put((byte) (orderly ? 1 : 0)).put(bytes, 0, byteSize).flip());
    }

    @Override
    protected void closeQueuePairs(String text) {
        fabric.disconnect(links, token);
        queuePairs.forEach(VerbsQueuePair::destroy);
    }

    @Override
    protected void release() {}
}
