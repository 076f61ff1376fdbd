package dev.verbena.transfer.protocol;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePair;

/**
 * A queue pair in the hands of its poller: knows which request stands behind a completion, and lines requests up when the send
 * queue is full.
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
 * <p><b>Owner:</b> {@link PeerConnection}. <b>Threading:</b> confined to the poller, but {@link #enqueue} is thread-safe.
 */
final class PolledQueuePair {
    private static final long RECEIVE = 1L << 63;

    /** Takes what arrives in posted receives. */
    interface ReceiveListener {
        /** A receive completed well; it is posted again when this returns. */
        void onReceive(int receiveIndex, Completion completion);

        /** The queue pair failed; called for each flushed receive. */
        void onReceiveFailed(String failure);
    }

    private final Poller poller;
    private final QueuePair queuePair;
    private final Request[] slots;
    private final int[] freeSlots;
    private int freeCount;
    private int waitingCount;
    private long idBase;
    private Request firstWaiting;
    private Request lastWaiting;
    private Runnable onIdle;
    private ReceiveListener receiveListener;
    private MemoryRegion receiveRegion;
    private long receiveOffset;
    private long receiveByteSize;

    PolledQueuePair(Poller poller, QueuePair queuePair, int sendDepth) {
        this.poller = poller;
        this.queuePair = queuePair;
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

    QueuePair queuePair() {
        return queuePair;
    }

    Poller poller() {
        return poller;
    }

    /** Called by {@link Poller#adopt}. */
    void index(int index) {
        idBase = (long) index << 32;
    }

    int index() {
        return queuePairIndex(idBase);
    }

    /** Hands the prepared request to the poller. From any thread. Returns false if the device is closed. */
    boolean enqueue(Request request) {
        request.target = this;
        return poller.submit(request);
    }

    /** Requests handed over and not yet done. */
    int outstanding() {
        return slots.length - freeCount + waitingCount;
    }

    /** Runs the command once nothing is outstanding: now, or when the last request has ended. */
    void whenIdle(Runnable command) {
        onIdle = command;
        checkIdle();
    }

    /** Posts now, or as soon as the send queue has room again. */
    void submit(Request request) {
        if (isClosed()) {
            request.onDone(null, "the connection to peer " + queuePair.connection().peerName() + " is closed");
        } else if (firstWaiting != null || !post(request)) {
            request.nextWaiting = null;
            waitingCount++;
            if (firstWaiting == null) {
                firstWaiting = request;
            } else {
                lastWaiting.nextWaiting = request;
            }
            lastWaiting = request;
        }
    }

    /** Posts {@code count} receives of {@code byteSize} bytes each, from {@code offset} on; {@code region} may be null. */
    void receiveInto(ReceiveListener listener, MemoryRegion region, long offset, long byteSize, int count) {
        receiveListener = listener;
        receiveRegion = region;
        receiveOffset = offset;
        receiveByteSize = byteSize;
        for (int i = 0; i < count; i++) {
            postReceive(i);
        }
    }

    void onCompletion(Completion completion) {
        int index = (int) completion.workRequestId;
        if (isReceive(completion.workRequestId)) {
            onReceive(index, completion);
            return;
        }
        Request request = slots[index];
        slots[index] = null;
        freeSlots[freeCount++] = index;
        request.onDone(completion, failureOf(completion));
        postWaiting();
        checkIdle();
    }

    /** Ends everything outstanding without the fabric: the queue pair is closed, or the poller has stopped. */
    void abandon(String failure) {
        for (int i = 0; i < slots.length; i++) {
            Request request = slots[i];
            if (request != null) {
                slots[i] = null;
                freeSlots[freeCount++] = i;
                request.onDone(null, failure);
            }
        }
        while (firstWaiting != null) {
            Request request = firstWaiting;
            firstWaiting = request.nextWaiting;
            waitingCount--;
            request.onDone(null, failure);
        }
        checkIdle();
    }

    private void checkIdle() {
        if (onIdle != null && outstanding() == 0) {
            Runnable command = onIdle;
            onIdle = null;
            command.run();
        }
    }

    private boolean post(Request request) {
        if (freeCount == 0) {
            return false;
        }
        int slot = freeSlots[freeCount - 1];
        request.workRequest.workRequestId = idBase | slot;
        if (queuePair.post(request.workRequest) == 0) {
            return false;
        }
        freeCount--;
        slots[slot] = request;
        return true;
    }

    private void postWaiting() {
        while (firstWaiting != null && post(firstWaiting)) {
            firstWaiting = firstWaiting.nextWaiting;
            waitingCount--;
        }
    }

    private void onReceive(int index, Completion completion) {
        if (completion.status != CompletionStatus.SUCCESS) {
            receiveListener.onReceiveFailed(failureOf(completion));
            return;
        }
        receiveListener.onReceive(index, completion);
        if (!isClosed()) {
            postReceive(index);
        }
    }

    private boolean isClosed() {
        return queuePair.state() == QueuePair.State.CLOSED;
    }

    private void postReceive(int index) {
        boolean posted = queuePair.postReceive(RECEIVE | idBase | index, receiveRegion,
                receiveOffset + index * receiveByteSize,
                receiveByteSize);
        if (!posted) {
            throw new IllegalStateException(
                    "receive queue overfull: queuePair=" + queuePair.number() + " index=" + index);
        }
    }

    private String failureOf(Completion completion) {
        if (completion.status == CompletionStatus.SUCCESS) {
            return null;
        }
        return "status=" + completion.status + " peer=" + queuePair.connection().peerName() + ": " + completion.cause;
    }
}
