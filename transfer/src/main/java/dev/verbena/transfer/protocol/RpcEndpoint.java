package dev.verbena.transfer.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.TransferException;
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
 * <p><b>Owner:</b> {@link PeerConnection}. <b>Threading:</b> {@link #call} is thread-safe, all else confined to the poller.
 */
final class RpcEndpoint implements PolledQueuePair.ReceiveListener {
    static final int CALLS_MAX = 1;

    private static final int SENDS_MAX = 2 * CALLS_MAX;
    private static final int RECEIVES_MAX = 2 * CALLS_MAX;

    private final PeerConnection peer;
    private final PolledQueuePair queuePair;
    private final RpcMethods methods;
    private final Tensor buffers;
    private final ByteBuffer bytes;
    private final ArrayDeque<FrameSend> freeSends = new ArrayDeque<>(SENDS_MAX);
    private final ArrayDeque<byte[]> waitingFrames = new ArrayDeque<>();
    private final ArrayDeque<Call> waitingCalls = new ArrayDeque<>();
    private final Map<Long, Call> calls = new HashMap<>();
    private long nextCorrelationId;
    private String failure;

    private record Call(String method, byte[] request, CompletableFuture<byte[]> answer) {}

    RpcEndpoint(PeerConnection peer, PolledQueuePair queuePair, RpcMethods methods, TensorArena arena) {
        this.peer = peer;
        this.queuePair = queuePair;
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

    /** Posts the receives. On the poller. */
    void start() {
        queuePair.receiveInto(this, region(), bufferOffset(SENDS_MAX), RpcFrame.BYTE_SIZE_MAX, RECEIVES_MAX);
    }

    CompletableFuture<byte[]> call(String method, byte[] request) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Call call = new Call(method, request, answer);
        if (!queuePair.poller().submit(() -> start(call))) {
            answer.completeExceptionally(
                    new TransferException("call failed: method=" + method + " the device was closed"));
        }
        return answer;
    }

    /** Ends every call. On the poller, or after it stopped. */
    void fail(String cause) {
        if (failure == null) {
            failure = cause;
        }
        calls.values().forEach(this::fail);
        calls.clear();
        waitingCalls.forEach(this::fail);
        waitingCalls.clear();
        waitingFrames.clear();
    }

    /** Gives its buffers back, after the poller stopped. */
    void close() {
        buffers.close();
    }

    @Override
    public void onReceive(int receiveIndex, Completion completion) {
        int start = (SENDS_MAX + receiveIndex) * RpcFrame.BYTE_SIZE_MAX;
        RpcFrame frame;
        try {
            frame = RpcFrame.decode(bytes.slice(start, (int) completion.byteSize));
        } catch (TransferException e) {
            // On a thread of its own: ending a connection waits for all of its pollers.
            Thread.ofVirtual().start(() -> peer.abort(e.getMessage()));
            return;
        }
        switch (frame.kind()) {
            case REQUEST -> send(answer(frame));
            case REPLY, ERROR -> finish(frame);
        }
    }

    @Override
    public void onReceiveFailed(String cause) {
        fail(cause);
    }

    private void start(Call call) {
        if (failure != null) {
            fail(call);
        } else if (calls.size() == CALLS_MAX) {
            waitingCalls.add(call);
        } else {
            byte[] frame;
            try {
                frame = new RpcFrame(RpcFrame.Kind.REQUEST, nextCorrelationId, call.method, call.request).encode();
            } catch (TransferException e) {
                call.answer.completeExceptionally(e);
                return;
            }
            calls.put(nextCorrelationId++, call);
            send(frame);
        }
    }

    private void fail(Call call) {
        call.answer.completeExceptionally(new TransferException("call failed: method=" + call.method + " " + failure));
    }

    private byte[] answer(RpcFrame request) {
        try {
            return new RpcFrame(RpcFrame.Kind.REPLY, request.correlationId(), "", methods.answer(peer, request))
                    .encode();
        } catch (RuntimeException e) {
            byte[] message = String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8);
            byte[] bounded = message.length <= 1024 ? message : java.util.Arrays.copyOf(message, 1024);
            return new RpcFrame(RpcFrame.Kind.ERROR, request.correlationId(), "", bounded).encode();
        }
    }

    private void finish(RpcFrame frame) {
        Call call = calls.remove(frame.correlationId());
        if (call == null) {
            return;
        }
        if (frame.kind() == RpcFrame.Kind.REPLY) {
            call.answer.complete(frame.payload());
        } else {
            call.answer.completeExceptionally(new TransferException("peer " + peer.connection().peerName() + " refused "
                    + call.method + ": " + new String(frame.payload(), StandardCharsets.UTF_8)));
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
        void onDone(Completion completion, String cause) {
            freeSends.add(this);
            if (cause != null) {
                fail(cause);
            } else if (!waitingFrames.isEmpty()) {
                send(waitingFrames.poll());
            }
        }
    }
}
