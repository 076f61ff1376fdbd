package dev.verbena.transfer.engine;

import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePair;

/**
 * A queue pair in the hands of its engine: knows which request stands behind a completion, lines requests up when the send queue is
 * full, and ends each of them exactly once, whatever becomes of the queue pair. What fails here fails its owner; once the owner has
 * failed nothing is posted any more.
 *
 * <pre>
 * work request id   63          62..32                31..0
 *                  +---------+---------------------+----------------------------+
 *                  | receive | index of queue pair | send slot or receive index |
 *                  +---------+---------------------+----------------------------+
 * </pre>
 *
 * Always: {@code inFlight + freeSlots == sendDepth}; requests wait only while {@code freeSlots == 0}.
 *
 * <p><b>Owner:</b> {@link Owner}. <b>Threading:</b> {@link #execute} and {@link #outstanding} are thread-safe; all else is called while
 * driving the engine.
 */
public final class EngineQueuePair {
    private static final Logger LOG = LoggerFactory.getLogger(EngineQueuePair.class);
    private static final long RECEIVE = 1L << 63;

    /** Who stands for the queue pair's failures: the connection. */
    public interface Owner {
        /**
         * The queue pair has failed. While driving; the first of several counts.
         *
         * @param isPeers whether it is the peer that failed, ended or died, so that the fabric will have more to say of it
         */
        void onFailure(String cause, boolean isPeers);

        /** Why nothing may be posted any more; null while all is well. Thread-safe. */
        String failure();
    }

    /** Takes what arrives in posted receives. */
    @FunctionalInterface
    public interface ReceiveListener {
        /** A receive completed well; it is posted again when this returns. While driving. */
        void onReceive(int receiveIndex, Completion completion);
    }

    private final Engine engine;
    private final QueuePair queuePair;
    private final Owner owner;
    private final Request[] slots;
    private final int[] freeSlots;
    private int freeCount;
    private int index;
    private Request firstWaiting;
    private Request lastWaiting;
    /** Requests handed over and not yet done. */
    private final AtomicInteger outstanding = new AtomicInteger();
    private ReceiveListener receiveListener;
    private MemoryRegion receiveRegion;
    private long receiveOffset;
    private long receiveByteSize;

    /** Of {@code sendDepth} requests that may be posted at a time; nothing happens before {@link #start}. */
    public EngineQueuePair(Engine engine, QueuePair queuePair, int sendDepth, Owner owner) {
        this.engine = engine;
        this.queuePair = queuePair;
        this.owner = owner;
        this.slots = new Request[sendDepth];
        this.freeSlots = new int[sendDepth];
        for (int i = 0; i < sendDepth; i++) {
            freeSlots[i] = i;
        }
        this.freeCount = sendDepth;
    }

    static boolean isReceive(long workRequestId) {
        return workRequestId < 0;
    }

    static int queuePairIndex(long workRequestId) {
        return (int) ((workRequestId & ~RECEIVE) >>> 32);
    }

    /** @see QueuePair#writesInOrder */
    public boolean writesInOrder() {
        return queuePair.writesInOrder();
    }

    public Engine engine() {
        return engine;
    }

    /** Hands the prepared request over; it may be done when this returns. */
    public void execute(Request request) {
        request.target = this;
        engine.execute(request);
    }

    /** Requests posted or waiting, as last seen while driving. */
    public int outstanding() {
        return outstanding.getOpaque();
    }

    /** Puts it under its engine, and posts {@code count} receives of {@code byteSize} bytes each, from {@code offset} on; {@code region} may be null. */
    public void start(ReceiveListener listener, MemoryRegion region, long offset, long byteSize, int count) {
        index = engine.adopt(this);
        receiveListener = listener;
        receiveRegion = region;
        receiveOffset = offset;
        receiveByteSize = byteSize;
        for (int i = 0; i < count && isUsable(); i++) {
            postReceive(i);
        }
    }

    /** Posts now, or as soon as the send queue has room again. */
    public void submit(Request request) {
        request.target = this;
        outstanding.setOpaque(outstanding.getPlain() + 1);
        engine.onSubmitted();
        String failure = owner.failure();
        if (failure != null) {
            end(request, failure);
        } else if (firstWaiting != null || freeCount == 0) {
            lineUp(request);
        } else if (!post(request)) {
            lineUp(request);
        }
    }

    private void lineUp(Request request) {
        request.nextWaiting = null;
        if (firstWaiting == null) {
            firstWaiting = request;
        } else {
            lastWaiting.nextWaiting = request;
        }
        lastWaiting = request;
    }

    /** @return false if the send queue is full; a request that is wrong in itself is ended */
    private boolean post(Request request) {
        int slot = freeSlots[freeCount - 1];
        request.workRequest.workRequestId = id() | slot;
        try {
            if (queuePair.post(request.workRequest) == 0) {
                return false;
            }
        } catch (RuntimeException e) {
            end(request, "peer=" + peerName() + " takes no such request: " + e.getMessage());
            return true;
        }
        freeCount--;
        slots[slot] = request;
        return true;
    }

    /** Not once the owner has failed, though this queue pair may not have: then they end soon. */
    private void postWaiting() {
        while (firstWaiting != null && freeCount > 0 && owner.failure() == null) {
            Request request = firstWaiting;
            firstWaiting = request.nextWaiting;
            if (!post(request)) {
                request.nextWaiting = firstWaiting;
                firstWaiting = request;
                return;
            }
        }
    }

    /** A request that failed by itself hears why; what was flushed behind it, or ended with the peer, hears why the connection failed. */
    void onCompletion(Completion completion) {
        int slot = (int) completion.workRequestId;
        boolean isDone = completion.status == CompletionStatus.SUCCESS;
        String cause = null;
        if (!isDone) {
            boolean isPeers = completion.status == CompletionStatus.WORK_REQUEST_FLUSHED
                    || completion.status == CompletionStatus.RETRY_EXCEEDED;
            cause = "status=" + completion.status + " peer=" + peerName() + ": " + completion.cause;
            owner.onFailure(cause, isPeers);
            cause = isPeers ? owner.failure() : cause;
        }
        if (isReceive(completion.workRequestId)) {
            if (isDone) {
                receive(slot, completion);
            }
            return;
        }
        Request request = slots[slot];
        slots[slot] = null;
        freeSlots[freeCount++] = slot;
        end(request, cause);
        if (isDone) {
            postWaiting();
        }
    }

    private void receive(int receiveIndex, Completion completion) {
        try {
            receiveListener.onReceive(receiveIndex, completion);
        } catch (Throwable e) {
            owner.onFailure("what peer=" + peerName() + " sent cannot be taken: " + e, false);
            LOG.error("receiving failed", e);
        }
        if (isUsable()) {
            postReceive(receiveIndex);
        }
    }

    private void end(Request request, String failure) {
        try {
            request.onDone(failure);
        } catch (Throwable e) {
            LOG.error("the callback of a request to peer {} failed", peerName(), e);
        }
        // Last: a request that goes on with its next part was never done in between.
        outstanding.setOpaque(outstanding.getPlain() - 1);
        engine.onEnded();
    }

    /** The owner has failed: requests that wait end now, those that are posted when the fabric has flushed them. */
    public void fail() {
        if (queuePair.state() == QueuePair.State.READY) {
            queuePair.fail(owner.failure());
        }
        endWaiting();
    }

    /** Ends everything without the fabric, and leaves the engine: the queue pair is closed. The owner has failed. */
    public void abandon() {
        endWaiting();
        for (int slot = 0; slot < slots.length; slot++) {
            Request request = slots[slot];
            if (request != null) {
                slots[slot] = null;
                freeSlots[freeCount++] = slot;
                end(request, owner.failure());
            }
        }
        engine.release(index);
    }

    private void endWaiting() {
        while (firstWaiting != null) {
            Request request = firstWaiting;
            firstWaiting = request.nextWaiting;
            end(request, owner.failure());
        }
    }

    private boolean isUsable() {
        return owner.failure() == null && queuePair.state() != QueuePair.State.CLOSED;
    }

    private void postReceive(int receiveIndex) {
        boolean posted = queuePair.postReceive(RECEIVE | id() | receiveIndex, receiveRegion,
                receiveOffset + receiveIndex * receiveByteSize, receiveByteSize);
        if (!posted) {
            throw new IllegalStateException("receive queue overfull: queuePair=" + queuePair.number() + " index="
                    + receiveIndex);
        }
    }

    private long id() {
        return (long) index << 32;
    }

    private String peerName() {
        return queuePair.connection().peerName();
    }
}
