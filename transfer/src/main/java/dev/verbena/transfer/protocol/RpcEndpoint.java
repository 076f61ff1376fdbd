package dev.verbena.transfer.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;

/**
 * The small RPC over send and receive that distributes addresses (EuroSys'19 §3.1); not on the path of any tensor.
 *
 * <p>A side has at most {@link #CALLS_MAX} calls outstanding, so the peer never holds more than {@code CALLS_MAX} requests and
 * {@code CALLS_MAX} replies, for which it has {@code 2 * CALLS_MAX} receives: a receive is always there.
 *
 * <pre>
 *   buffer   0 .. 2C-1   sending (requests and replies)
 *            2C .. 4C-1  posted receives                     C = CALLS_MAX, 64 KiB each
 * </pre>
 *
 * <p><b>Owner:</b> {@link PeerConnection}. <b>Threading:</b> {@link #call} is thread-safe, all else is called while driving.
 */
final class RpcEndpoint {
    static final int CALLS_MAX = 1;

    private static final int SENDS_MAX = 2 * CALLS_MAX;
    private static final int RECEIVES_MAX = 2 * CALLS_MAX;
    private static final int ERROR_BYTE_SIZE_MAX = 1024;

    private static final Logger LOG = LoggerFactory.getLogger(RpcEndpoint.class);

    private final PeerConnection peer;
    private final EngineQueuePair queuePair;
    private final Engines engines;
    private final RpcMethods methods;
    private final Tensor buffers;
    private final ByteBuffer bytes;
    private final ArrayDeque<FrameSend> freeSends = new ArrayDeque<>(SENDS_MAX);
    private final ArrayDeque<byte[]> waitingFrames = new ArrayDeque<>();
    private final ArrayDeque<Call> waitingCalls = new ArrayDeque<>();
    private final Map<Long, Call> calls = new HashMap<>();
    private long nextCorrelationId;

    RpcEndpoint(PeerConnection peer, EngineQueuePair queuePair, Engines engines, RpcMethods methods,
            TensorArena arena) {
        this.peer = peer;
        this.queuePair = queuePair;
        this.engines = engines;
        this.methods = methods;
        this.buffers = arena.allocate(ElementType.UINT8,
                Shape.of(SENDS_MAX + RECEIVES_MAX, RpcFrame.BYTE_SIZE_MAX));
        this.bytes = buffers.asByteBuffer();
        for (int i = 0; i < SENDS_MAX; i++) {
            freeSends.add(new FrameSend(i));
        }
    }

    static int receiveDepth() {
        return RECEIVES_MAX;
    }

    /** @see dev.verbena.transfer.RdmaDevice#call */
    byte[] call(String method, byte[] request, Duration timeout) {
        if (engines.isDriving()) {
            throw new IllegalStateException(
                    "call of '" + method + "' from a callback or a handler, which would wait for itself");
        }
        Call call = new Call(method, request);
        queuePair.engine().execute(() -> start(call));
        if (!engines.await(call::isDone, timeout.toNanos())) {
            queuePair.engine().execute(() -> waitingCalls.remove(call));
            if (!call.isDone()) {
                throw new TransferException(
                        (Thread.currentThread().isInterrupted() ? "interrupted: peer=" : "no answer: peer=")
                                + peer.name() + " method=" + method + " timeout=" + timeout);
            }
        }
        if (call.failure != null) {
            throw new TransferException(call.failure);
        }
        return call.answer;
    }

    // ---- while driving ----

    /** Posts the receives. */
    void start() {
        queuePair.start(this::onReceive, region(), bufferOffset(SENDS_MAX), RpcFrame.BYTE_SIZE_MAX, RECEIVES_MAX);
    }

    /** The peer has failed: ends every call. */
    void fail() {
        queuePair.fail();
        calls.values().forEach(this::fail);
        calls.clear();
        waitingCalls.forEach(this::fail);
        waitingCalls.clear();
        waitingFrames.clear();
    }

    /** The queue pair is closed: gives the buffers back. */
    void abandon() {
        queuePair.abandon();
        buffers.close();
    }

    private void onReceive(int receiveIndex, Completion completion) {
        int start = (SENDS_MAX + receiveIndex) * RpcFrame.BYTE_SIZE_MAX;
        RpcFrame frame;
        try {
            frame = RpcFrame.decode(bytes.slice(start, (int) completion.byteSize));
        } catch (TransferException e) {
            peer.fail(e.getMessage());
            return;
        }
        switch (frame.kind()) {
            case REQUEST -> send(answer(frame));
            case REPLY, ERROR -> finish(frame);
        }
    }

    private void start(Call call) {
        if (peer.failure() != null) {
            fail(call);
        } else if (calls.size() == CALLS_MAX) {
            waitingCalls.add(call);
        } else {
            byte[] frame;
            try {
                frame = new RpcFrame(RpcFrame.Kind.REQUEST, nextCorrelationId, call.method, call.request).encode();
            } catch (TransferException e) {
                call.fail(e.getMessage());
                return;
            }
            calls.put(nextCorrelationId++, call);
            send(frame);
        }
    }

    private void fail(Call call) {
        call.fail("call failed: method=" + call.method + " " + peer.failure());
    }

    /** Whatever the handler throws becomes an answer: the peer waits for one. */
    private byte[] answer(RpcFrame request) {
        try {
            return new RpcFrame(RpcFrame.Kind.REPLY, request.correlationId(), "", methods.answer(peer, request))
                    .encode();
        } catch (Throwable e) {
            if (!(e instanceof TransferException)) {
                LOG.warn("the handler of '{}' failed for peer {}", request.method(), peer.name(), e);
            }
            byte[] message = (e instanceof RuntimeException ? String.valueOf(e.getMessage()) : e.toString())
                    .getBytes(StandardCharsets.UTF_8);
            byte[] bounded = Arrays.copyOf(message, Math.min(message.length, ERROR_BYTE_SIZE_MAX));
            return new RpcFrame(RpcFrame.Kind.ERROR, request.correlationId(), "", bounded).encode();
        }
    }

    private void finish(RpcFrame frame) {
        Call call = calls.remove(frame.correlationId());
        if (call == null) {
            return;
        }
        if (frame.kind() == RpcFrame.Kind.REPLY) {
            call.finish(frame.payload());
        } else {
            call.fail("peer " + peer.name() + " refused " + call.method + ": "
                    + new String(frame.payload(), StandardCharsets.UTF_8));
        }
        if (!waitingCalls.isEmpty()) {
            start(waitingCalls.poll());
        }
    }

    private void send(byte[] frame) {
        FrameSend send = freeSends.poll();
        if (send == null) {
            waitingFrames.add(frame);
        } else {
            send.fill(frame);
            queuePair.submit(send);
        }
    }

    private MemoryRegion region() {
        return (MemoryRegion) buffers.slab();
    }

    private long bufferOffset(int index) {
        return buffers.slabOffset() + (long) index * RpcFrame.BYTE_SIZE_MAX;
    }

    /** Sends from one buffer. */
    private final class FrameSend extends Request {
        private final int index;

        FrameSend(int index) {
            super(1);
            this.index = index;
        }

        void fill(byte[] frame) {
            bytes.put(index * RpcFrame.BYTE_SIZE_MAX, frame);
            workRequest.reset(0, Opcode.SEND).element(region(), bufferOffset(index), frame.length);
        }

        @Override
        protected void onDone(String failure) {
            freeSends.add(this);
            if (failure == null && !waitingFrames.isEmpty()) {
                send(waitingFrames.poll());
            }
        }
    }

    /** A call of this side's, done once. */
    private static final class Call {
        private final String method;
        private final byte[] request;
        private byte[] answer;
        private String failure;
        private volatile boolean isDone;

        Call(String method, byte[] request) {
            this.method = method;
            this.request = request;
        }

        void finish(byte[] answer) {
            this.answer = answer;
            isDone = true;
        }

        void fail(String failure) {
            this.failure = failure;
            isDone = true;
        }

        boolean isDone() {
            return isDone;
        }
    }
}
