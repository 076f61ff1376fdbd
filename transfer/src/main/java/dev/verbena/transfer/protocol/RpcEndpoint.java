package dev.verbena.transfer.protocol;

import java.io.ByteArrayOutputStream;
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
 * <p>A message travels in fragments, one behind the other, so that a connection that is idle has little memory registered. A side has at
 * most {@link #CALLS_MAX} calls outstanding, so the peer never holds more than {@code CALLS_MAX} requests and {@code CALLS_MAX} replies, for
 * which it has {@code 4 * CALLS_MAX} receives: where each has two fragments at most, a receive is always there. Longer ones wait for the
 * peer to post again.
 *
 * <pre>
 *   buffer   0 .. 2C-1   sending (requests and replies)
 *            2C .. 6C-1  posted receives                     C = CALLS_MAX, a fragment each
 *
 *  fragment  0               1
 *           +---------------+----------------------------------+
 *           | 1: more comes | part of an {@link RpcFrame}      |
 *           +---------------+----------------------------------+
 * </pre>
 *
 * <p><b>Owner:</b> {@link PeerConnection}. <b>Threading:</b> {@link #call} is thread-safe, all else is called while driving.
 */
final class RpcEndpoint {
    static final int CALLS_MAX = 1;

    private static final int SENDS_MAX = 2 * CALLS_MAX;
    private static final int RECEIVES_MAX = 4 * CALLS_MAX;
    static final int FRAGMENT_BYTE_SIZE = 8 * 1024;
    private static final int FRAGMENT_HEADER = 1;
    private static final byte LAST = 0;
    private static final byte MORE = 1;
    private static final int ERROR_BYTE_SIZE_MAX = 1024;
    /** Of this side's calls and of answers that the peer waits for. */
    private static final int WAITING_MAX = 2 * CALLS_MAX
            * (RpcFrame.BYTE_SIZE_MAX / (FRAGMENT_BYTE_SIZE - FRAGMENT_HEADER) + 1);

    private static final Logger LOG = LoggerFactory.getLogger(RpcEndpoint.class);

    private final PeerConnection peer;
    private final EngineQueuePair queuePair;
    private final Engines engines;
    private final RpcMethods methods;
    private final int partByteSizeMax;
    private final Tensor buffers;
    private final ByteBuffer bytes;
    private final ArrayDeque<FragmentSend> freeSends = new ArrayDeque<>(SENDS_MAX);
    private final ArrayDeque<Fragment> waitingFragments = new ArrayDeque<>();
    /** What has come of the message that is coming in. */
    private ByteArrayOutputStream incoming = new ByteArrayOutputStream(0);
    private final ArrayDeque<Call> waitingCalls = new ArrayDeque<>();
    private final Map<Long, Call> calls = new HashMap<>();
    private long nextCorrelationId;

    /** For a fabric whose messages have up to so many bytes; the peer takes fragments of any length. */
    RpcEndpoint(PeerConnection peer, EngineQueuePair queuePair, Engines engines, RpcMethods methods,
            TensorArena arena, long messageByteSizeMax) {
        this.peer = peer;
        this.queuePair = queuePair;
        this.engines = engines;
        this.methods = methods;
        this.partByteSizeMax = (int) Math.min(FRAGMENT_BYTE_SIZE, messageByteSizeMax) - FRAGMENT_HEADER;
        this.buffers = arena.allocate(ElementType.UINT8,
                Shape.of(SENDS_MAX + RECEIVES_MAX, FRAGMENT_BYTE_SIZE));
        this.bytes = buffers.asByteBuffer();
        for (int i = 0; i < SENDS_MAX; i++) {
            freeSends.add(new FragmentSend(i));
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

    /** The same, and forgets the answer. */
    void tell(String method, byte[] request) {
        Call call = new Call(method, request);
        queuePair.engine().execute(() -> start(call));
    }

    // ---- while driving ----

    /** Posts the receives. */
    void start() {
        queuePair.start(this::onReceive, region(), bufferOffset(SENDS_MAX), FRAGMENT_BYTE_SIZE, RECEIVES_MAX);
    }

    /** The peer has failed: ends every call. */
    void fail() {
        queuePair.fail();
        calls.values().forEach(this::fail);
        calls.clear();
        waitingCalls.forEach(this::fail);
        waitingCalls.clear();
        waitingFragments.clear();
    }

    /** The queue pair is closed: gives the buffers back. */
    void abandon() {
        queuePair.abandon();
        peer.giveBack(buffers);
    }

    private void onReceive(int receiveIndex, Completion completion) {
        RpcFrame frame;
        try {
            if (!completes(receiveIndex, completion.byteSize)) {
                return;
            }
            frame = RpcFrame.decode(ByteBuffer.wrap(incoming.toByteArray()));
            incoming = new ByteArrayOutputStream(0);
        } catch (TransferException e) {
            peer.fail(e.getMessage());
            return;
        }
        switch (frame.kind()) {
            case REQUEST -> onRequest(frame);
            case REPLY, ERROR -> finish(frame);
        }
    }

    /** A peer that asks on without taking the answers would have them pile up here. */
    private void onRequest(RpcFrame request) {
        if (waitingFragments.size() > WAITING_MAX) {
            peer.fail("malformed: peer " + peer.name() + " has more than " + CALLS_MAX
                    + " calls outstanding and does not take the answers");
        } else {
            send(answer(request));
        }
    }

    /** Adds a fragment to the message that is coming in. @return whether it is the last one */
    private boolean completes(int receiveIndex, long byteSize) {
        int partByteSize = (int) byteSize - FRAGMENT_HEADER;
        if (byteSize < FRAGMENT_HEADER || byteSize > FRAGMENT_BYTE_SIZE
                || incoming.size() + partByteSize > RpcFrame.BYTE_SIZE_MAX) {
            throw new TransferException("malformed message: fragmentByteSize=" + byteSize + " after "
                    + incoming.size() + " bytes");
        }
        int start = (SENDS_MAX + receiveIndex) * FRAGMENT_BYTE_SIZE;
        byte more = bytes.get(start);
        if (more != LAST && more != MORE) {
            throw new TransferException("malformed message: more=" + more);
        }
        byte[] part = new byte[partByteSize];
        bytes.get(start + FRAGMENT_HEADER, part);
        incoming.writeBytes(part);
        return more == LAST;
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

    private void send(byte[] message) {
        for (int start = 0; start < message.length; start += partByteSizeMax) {
            waitingFragments.add(new Fragment(message, start, Math.min(partByteSizeMax, message.length - start)));
        }
        sendWaiting();
    }

    private void sendWaiting() {
        while (!freeSends.isEmpty() && !waitingFragments.isEmpty()) {
            FragmentSend send = freeSends.poll();
            send.fill(waitingFragments.poll());
            queuePair.submit(send);
        }
    }

    private MemoryRegion region() {
        return (MemoryRegion) buffers.slab();
    }

    private long bufferOffset(int index) {
        return buffers.slabOffset() + (long) index * FRAGMENT_BYTE_SIZE;
    }

    /** The part of a message from {@code start} on. */
    private record Fragment(byte[] message, int start, int byteSize) {
        boolean isLast() {
            return start + byteSize == message.length;
        }
    }

    /** Sends from one buffer. */
    private final class FragmentSend extends Request {
        private final int index;

        FragmentSend(int index) {
            super(1);
            this.index = index;
        }

        void fill(Fragment fragment) {
            int at = index * FRAGMENT_BYTE_SIZE;
            bytes.put(at, fragment.isLast() ? LAST : MORE);
            bytes.put(at + FRAGMENT_HEADER, fragment.message(), fragment.start(), fragment.byteSize());
            workRequest.reset(0, Opcode.SEND).element(region(), bufferOffset(index),
                    FRAGMENT_HEADER + fragment.byteSize());
        }

        @Override
        protected void onDone(String failure) {
            freeSends.add(this);
            if (failure != null && peer.failure() == null) {
                // The fabric takes no such message: neither a call nor an answer may be waited for in vain.
                peer.fail("rpc: " + failure);
            }
            if (failure == null) {
                sendWaiting();
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
