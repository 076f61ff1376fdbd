package dev.verbena.transfer.engine;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

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
 * What waits goes as one list when there is room, so with one doorbell; of the work requests of one {@link Request} only the last is signaled.
 * Always: {@code inFlight <= sendDepth}; requests wait only while the send queue is full, or until all of a list are there.
 *
 * <p>What the fabric can do {@linkplain #tryPut at once} is not in this line, and needs nobody who drives.
 *
 * <p><b>Owner:</b> {@link Owner}. <b>Threading:</b> {@link #execute}, {@link #outstanding} and what is done at once are thread-safe; all else is
 * called while driving the engine.
 */
public final class EngineQueuePair {
    private static final Logger LOG = LoggerFactory.getLogger(EngineQueuePair.class);
    private static final long RECEIVE = 1L << 63;
    /** At once; what is longer is worth a request, which goes in pieces, so that other queue pairs get their turn. */
    public static final long IMMEDIATE_BYTE_SIZE_MAX = 64 << 10;

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
    /** A ring: whose each work request in flight is. Completions come in the order of posts. */
    private final Request[] slots;
    private int first;
    /** Posted, and not known to have ended: of those that are not signaled that is known when one behind them ends. */
    private int inFlight;
    /** A list was refused, and is posted one by one. */
    private boolean isOneWrong;
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

    /** Whether all of them do. */
    public static boolean areInOrder(List<EngineQueuePair> queuePairs) {
        return queuePairs.stream().allMatch(EngineQueuePair::writesInOrder);
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

    /**
     * Puts so many bytes, as long as nothing has failed and they are not many.
     *
     * @return false if a request is to be handed over instead
     * @see QueuePair#tryPut
     */
    public boolean tryPut(MemorySegment source, long offset, long byteSize, long address, long rkey) {
        return isImmediate(byteSize) && queuePair.tryPut(source, offset, byteSize, address, rkey);
    }

    /** @see QueuePair#tryPutWord */
    public boolean tryPutWord(long address, long rkey, long word, boolean tellsPolls) {
        return isImmediate(Long.BYTES) && queuePair.tryPutWord(address, rkey, word, tellsPolls);
    }

    /** @see QueuePair#tryGet */
    public boolean tryGet(long address, long rkey, MemorySegment target, long offset, long byteSize) {
        return isImmediate(byteSize) && queuePair.tryGet(address, rkey, target, offset, byteSize);
    }

    private boolean isImmediate(long byteSize) {
        return byteSize <= IMMEDIATE_BYTE_SIZE_MAX && owner.failure() == null;
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
        if (firstWaiting != null || inFlight == slots.length || request.listed() > 1) {
            lineUp(request);
            postWaiting();
            return;
        }
        begin(request);
        String failure = owner.failure();
        if (failure != null) {
            end(request, failure);
        } else if (!post(request)) {
            append(request);
        }
    }

    /** As {@link #submit}, but only {@link #postWaiting} posts it, with others that are lined up, as one list. */
    public void lineUp(Request request) {
        begin(request);
        String failure = owner.failure();
        if (failure != null) {
            end(request, failure);
        } else {
            append(request);
        }
    }

    private void begin(Request request) {
        request.target = this;
        request.posted = 0;
        request.failure = null;
        outstanding.setOpaque(outstanding.getPlain() + 1);
        engine.onSubmitted();
    }

    private void append(Request request) {
        if (request.isLinedUp) {
            throw new IllegalStateException("a request to peer=" + peerName() + " is handed over twice at once");
        }
        request.isLinedUp = true;
        request.nextWaiting = null;
        if (firstWaiting == null) {
            firstWaiting = request;
        } else {
            lastWaiting.nextWaiting = request;
        }
        lastWaiting = request;
    }

    /** The usual case, a request alone. @return false if the send queue is full; a request that is wrong in itself is ended */
    private boolean post(Request request) {
        int slot = slot(inFlight);
        WorkRequest workRequest = request.workRequest;
        workRequest.workRequestId = id() | slot;
        workRequest.signaled = true;
        workRequest.next = null;
        try {
            if (queuePair.post(workRequest) == 0) {
                return false;
            }
        } catch (RuntimeException e) {
            end(request, refusal(e));
            return true;
        }
        onPosted(slot, request);
        return true;
    }

    private Request takeFirstWaiting() {
        Request request = firstWaiting;
        firstWaiting = request.nextWaiting;
        request.isLinedUp = false;
        return request;
    }

    private void onPosted(int slot, Request request) {
        slots[slot] = request;
        inFlight++;
        request.inFlight++;
        request.posted++;
    }

    /** Of the n-th that was posted behind those that are known to have ended. */
    private int slot(int n) {
        int slot = first + n;
        return slot < slots.length ? slot : slot - slots.length;
    }

    private String refusal(RuntimeException e) {
        return "peer=" + peerName() + " takes no such request: " + e.getMessage();
    }

    /**
     * Posts those that wait, as far as there is room, as one list, so with one doorbell. Not once the owner has failed, though this queue pair
     * may not have: then they end soon.
     */
    public void postWaiting() {
        boolean goesOn = true;
        while (goesOn && firstWaiting != null && inFlight < slots.length && owner.failure() == null) {
            goesOn = postList(slots.length - inFlight);
        }
    }

    /** @return false if the send queue is full, and something that ends will tell when it is not */
    private boolean postList(int countMax) {
        WorkRequest head = null;
        WorkRequest last = null;
        int count = 0;
        for (Request each = firstWaiting; each != null
                && count < countMax; each = isOneWrong ? null : each.nextWaiting) {
            for (int i = each.posted; i < each.listed() && count < countMax; i++) {
                WorkRequest next = each.at(i);
                next.workRequestId = id() | slot(inFlight + count++);
                next.signaled = i == each.listed() - 1;
                next.next = null;
                if (head == null) {
                    head = next;
                } else {
                    last.next = next;
                }
                last = next;
            }
        }
        // It may be in the midst of a request, of which nothing else is in flight.
        last.signaled = true;
        int posted;
        try {
            posted = queuePair.post(head);
        } catch (RuntimeException e) {
            onRefused(e);
            return true;
        }
        boolean isSignaled = false;
        for (int i = 0; i < posted; i++) {
            Request each = firstWaiting;
            isSignaled = each.at(each.posted).signaled;
            onPosted(slot(inFlight), each);
            if (each.posted == each.listed()) {
                takeFirstWaiting();
            }
        }
        return posted == count || posted > 0 && !isSignaled;
    }

    /** Nothing was posted, since one of the list is wrong in itself: it is looked for, and ends. */
    private void onRefused(RuntimeException e) {
        if (!isOneWrong) {
            isOneWrong = true;
            return;
        }
        isOneWrong = false;
        Request wrong = takeFirstWaiting();
        if (wrong.inFlight > 0) {
            owner.onFailure(refusal(e), false);
        }
        endUnlessInFlight(wrong, refusal(e));
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
        while (first != slot) {
            // Done without a word.
            remove();
        }
        Request request = remove();
        if (request.failure == null) {
            request.failure = cause;
        }
        if (request.inFlight == 0 && request.posted == request.listed()) {
            end(request, request.failure);
        }
        if (isDone) {
            postWaiting();
        }
    }

    /** The first of those in flight has ended. @return whose it is */
    private Request remove() {
        Request request = slots[first];
        slots[first] = null;
        request.inFlight--;
        inFlight--;
        // What was used last is still in the cache.
        first = inFlight == 0 ? 0 : slot(1);
        return request;
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
        while (inFlight > 0) {
            endUnlessInFlight(remove(), owner.failure());
        }
        engine.release(index);
    }

    private void endWaiting() {
        while (firstWaiting != null) {
            Request request = takeFirstWaiting();
            endUnlessInFlight(request, owner.failure());
        }
    }

    /** Nothing more of it is posted; what is in flight will be flushed. */
    private void endUnlessInFlight(Request request, String failure) {
        request.posted = request.listed();
        if (request.failure == null) {
            request.failure = failure;
        }
        if (request.inFlight == 0) {
            end(request, request.failure);
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
