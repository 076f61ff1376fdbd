package dev.verbena.transfer.fabric.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.fabric.control.ControlSocket;
import dev.verbena.transfer.fabric.control.ControlledConnection;
import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.fabric.control.ProtocolException;
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

    private final List<VerbsQueuePair> queuePairs;

    VerbsConnection(VerbsFabric fabric, ControlSocket socket, List<VerbsQueuePair> queuePairs, VerbsHello peer)
            throws IOException {
        super(fabric, socket, peer.name(), peer.listening());
        this.queuePairs = queuePairs;
        queuePairs.forEach(queuePair -> queuePair.belongTo(this));
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
                queuePairs.get(failed.queuePair()).peerAsks(failed);
            }
            case FINDING -> {
                Finding finding = Finding.decode(frame.payload(), queuePairs.size());
                queuePairs.get(finding.queuePair()).peerTells(finding.text());
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
        queuePairs.forEach(queuePair -> queuePair.lose(cause));
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
        queuePairs.forEach(VerbsQueuePair::destroy);
    }

    @Override
    protected void release() {}
}
