package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.fabric.RequestCheck;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * A queue pair: the send queue lies in this process, the receive queue in shared memory where the peer takes from it.
 *
 * <pre>
 *   sends     delivered <= executed <= posted <= delivered + sendDepth
 *             [delivered, executed) are done and wait for a poll, [executed, posted) wait for their turn
 *   receives  reaped <= receivesPosted <= reaped + receiveDepth
 * </pre>
 *
 * <p>An unsignaled request holds its slot until it is carried out and everything before it is delivered.
 *
 * <p>Threading: confined to the poller of its completion queue; {@link #number}, {@link #state}, {@link #lose}, {@link #hasNewPuts} and what is
 * done at once are thread-safe.
 */
final class ShmQueuePair implements QueuePair {
    private final int number;
    private final ShmConnection connection;
    private final ShmCompletionQueue completionQueue;
    private final QueuePairHalf half;
    private final QueuePairHalf peerHalf;
    private final Doorbell peerDoorbell;
    private final Initiator initiator;
    private final ImmediateAccess immediately;
    private final RequestCheck requests;

    private final int sendDepth;
    /** A power of two; grows with what is under way at a time, up to the depth. */
    private SendSlot[] slots = {};
    private long posted;
    private long executed;
    private long delivered;

    private final int receiveDepth;
    private final long[] receiveIds;
    /** What was posted, where the peer cannot write it. */
    private final long[] receiveByteSizes;
    private final String[] receiveRefusals;
    private long receivesPosted;
    private long reaped;

    /** Among those of its completion queue; its peer rings for it by that. */
    private int place = Doorbell.ALL;
    /** Whether its completion queue asks it in each poll. Of the poller. */
    boolean isBusy;
    /** Set before the end of its last poll; none begins afterwards. */
    volatile boolean isDetached;

    /** Who looks sees each put once or more often. */
    private volatile long putsSeen;
    private volatile State state = State.READY;
    /** Set by the control thread; taken up by the next poll. */
    private volatile String lostCause;
    /** In ERROR: what flushed requests say, with which status the first of them, and how many receives the peer had begun. */
    private String flushCause;
    private CompletionStatus flushStatus;
    private long claimedAtError;

    ShmQueuePair(ShmFabric fabric, ShmConnection connection, int index, QueuePairOptions options, LinkFile link,
            LinkFile peerLink, RemoteRegions remoteRegions, Doorbell peerDoorbell) {
        number = fabric.nextQueuePairNumber();
        this.connection = connection;
        completionQueue = (ShmCompletionQueue) options.completionQueue();
        half = link.half(index);
        peerHalf = peerLink.half(index);
        this.peerDoorbell = peerDoorbell;
        initiator = new Initiator(remoteRegions, peerHalf, connection.peer(),
                options.receiverNotReadyTimeoutNs());
        immediately = new ImmediateAccess(remoteRegions, peerHalf, peerDoorbell);
        requests = fabric.requests().of(options);
        sendDepth = options.sendDepth();
        receiveDepth = options.receiveDepth();
        receiveIds = new long[receiveDepth];
        receiveByteSizes = new long[receiveDepth];
        receiveRefusals = new String[receiveDepth];
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public State state() {
        State now = state;
        return now == State.READY && lostCause != null ? State.ERROR : now;
    }

    /** The initiator writes the last 8 bytes behind the others. */
    @Override
    public boolean writesInOrder() {
        return true;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public ShmCompletionQueue completionQueue() {
        return completionQueue;
    }

    // ---- posting ----

    @Override
    public int post(WorkRequest head) {
        checkNotClosed();
        reclaimSilent();
        if (delivered == posted) {
            // The slots that were used last are still in the cache.
            delivered = 0;
            executed = 0;
            posted = 0;
        }
        int room = sendDepth - (int) (posted - delivered);
        int count = 0;
        for (WorkRequest request = head; request != null && count < room; request = request.next) {
            requests.check(request);
            count++;
        }
        WorkRequest request = head;
        for (int i = 0; i < count; i++) {
            if (posted - delivered == slots.length) {
                growSlots();
            }
            slot(posted++).fill(request);
            request = request.next;
        }
        completionQueue.makeBusy(this);
        if (state == State.READY) {
            execute();
        }
        return count;
    }

    @Override
    public boolean postReceive(long workRequestId, MemoryRegion region, long offset, long byteSize) {
        checkNotClosed();
        requests.checkReceive(workRequestId, region, byteSize);
        if (receivesPosted - reaped == receiveDepth) {
            return false;
        }
        ShmMemoryRegion target = (ShmMemoryRegion) region;
        int index = (int) receivesPosted & receiveDepth - 1;
        String refusal = target == null ? null : target.refusal(offset, byteSize, Rights.LOCAL_WRITE);
        receiveIds[index] = workRequestId;
        receiveByteSizes[index] = byteSize;
        receiveRefusals[index] = refusal;
        boolean isUsable = target != null && refusal == null;
        half.ring().postRelease(receivesPosted, isUsable ? target.address() + offset : 0, byteSize,
                isUsable ? target.rkey() : 0, refusal == null);
        receivesPosted++;
        if (state == State.ERROR) {
            completionQueue.makeBusy(this);
        }
        VarHandle.fullFence();
        if (half.isPeerStarved()) {
            ringPeer();
        }
        return true;
    }

    private void checkNotClosed() {
        if (state == State.CLOSED) {
            throw new IllegalStateException("queue pair " + number + " to " + connection.peer() + " is closed");
        }
    }

    private void growSlots() {
        SendSlot[] grown = new SendSlot[Math.max(1, 2 * slots.length)];
        for (long index = delivered; index < posted; index++) {
            grown[(int) index & grown.length - 1] = slot(index);
        }
        for (int i = 0; i < grown.length; i++) {
            if (grown[i] == null) {
                grown[i] = new SendSlot();
            }
        }
        slots = grown;
    }

    private SendSlot slot(long index) {
        return slots[(int) index & slots.length - 1];
    }

    private void reclaimSilent() {
        while (delivered != executed && isSilent(slot(delivered))) {
            slot(delivered++).clear();
        }
    }

    private static boolean isSilent(SendSlot slot) {
        return !slot.isSignaled && slot.status == CompletionStatus.SUCCESS;
    }

    // ---- at once, on any thread ----

    @Override
    public boolean tryPut(MemorySegment source, long offset, long byteSize, long address, long rkey) {
        return state() == State.READY && immediately.tryPut(source, offset, byteSize, address, rkey);
    }

    @Override
    public boolean tryPutWord(long address, long rkey, long word, boolean tellsPolls) {
        return state() == State.READY && immediately.tryPutWord(address, rkey, word, tellsPolls);
    }

    @Override
    public boolean tryGet(long address, long rkey, MemorySegment target, long offset, long byteSize) {
        return state() == State.READY && immediately.tryGet(address, rkey, target, offset, byteSize);
    }

    /** Whether the peer has put words since this was asked last that it has told nobody of. */
    boolean hasNewPuts() {
        long now = half.putsAcquire();
        boolean hasNew = now != putsSeen;
        putsSeen = now;
        return hasNew;
    }

    // ---- carrying out ----

    /** Carries out what its turn has come for, but no more than a piece, so that others get their turn. */
    private void execute() {
        long budget = Initiator.PIECE_BYTE_SIZE;
        boolean goesOn = true;
        while (goesOn && executed != posted && budget > 0) {
            SendSlot slot = slot(executed);
            long before = slot.done;
            Initiator.Step step = initiator.step(slot);
            budget -= slot.done - before;
            switch (step) {
                case DONE -> executed++;
                case MORE, WAIT -> goesOn = false;
                case PEER_NOT_READY -> {
                    followPeer();
                    goesOn = false;
                }
                case FAILED -> {
                    initiator.abandon(slot);
                    executed++;
                    enterError(CompletionStatus.WORK_REQUEST_FLUSHED, slot.cause);
                    goesOn = false;
                }
            }
        }
        if (initiator.takeEffect()) {
            ringPeer();
        }
    }

    private void ringPeer() {
        peerDoorbell.ring(peerHalf.place());
    }

    /** The peer's half is not ready any more: neither is this one. */
    private void followPeer() {
        switch (peerHalf.stateAcquire()) {
            case QueuePairHalf.ERROR -> enterError(CompletionStatus.WORK_REQUEST_FLUSHED,
                    connection.peer() + " failed: " + peerHalf.cause());
            case QueuePairHalf.CLOSED -> enterError(CompletionStatus.RETRY_EXCEEDED,
                    connection.peer() + " " + peerHalf.cause());
            default -> throw new IllegalStateException("peer's half is ready");
        }
    }

    @Override
    public void fail(String cause) {
        checkNotClosed();
        if (state == State.READY) {
            enterError(CompletionStatus.WORK_REQUEST_FLUSHED, cause);
        }
    }

    /** @param firstStatus of the request whose turn it was; those behind it are flushed */
    private void enterError(CompletionStatus firstStatus, String cause) {
        move(State.ERROR);
        flushStatus = firstStatus;
        flushCause = cause;
        if (executed != posted) {
            initiator.abandon(slot(executed));
        }
        // First the state, then the end of claims: a peer whose claim is refused finds the reason.
        half.publishRelease(QueuePairHalf.ERROR, cause);
        claimedAtError = half.ring().closeClaims();
        ringPeer();
        completionQueue.makeBusy(this);
    }

    private void move(State next) {
        if (next.ordinal() <= state.ordinal()) {
            throw new IllegalStateException("queue pair " + number + " cannot move from " + state + " to " + next);
        }
        state = next;
    }

    /** The connection is lost. Called from the control thread. */
    void lose(String cause) {
        lostCause = cause;
        completionQueue.ring(place);
        completionQueue.signal();
    }

    /** Called by its completion queue, which looks at it afterwards in any case. */
    void take(int place) {
        this.place = place;
        half.publishPlace(place);
    }

    int place() {
        return place;
    }

    /** The connection closes. Called when no poll is under way any more. */
    void close(String farewell) {
        move(State.CLOSED);
        half.publishRelease(QueuePairHalf.CLOSED, farewell);
        half.ring().closeClaims();
        ringPeer();
    }

    // ---- polling ----

    int poll(Completion completion, CompletionHandler handler, int countMax) {
        if (state == State.READY) {
            advance();
        }
        int count = deliverSends(completion, handler, countMax);
        return count + deliverReceives(completion, handler, countMax - count);
    }

    private void advance() {
        String lost = lostCause;
        if (lost != null) {
            enterError(CompletionStatus.RETRY_EXCEEDED, lost);
        } else if (peerHalf.stateAcquire() != QueuePairHalf.READY) {
            followPeer();
        } else if (executed != posted) {
            execute();
        }
    }

    private int deliverSends(Completion completion, CompletionHandler handler, int countMax) {
        int count = 0;
        while (count < countMax && state != State.CLOSED && (delivered != executed || flushNext())) {
            SendSlot slot = slot(delivered);
            slot.clear();
            delivered++;
            if (isSilent(slot)) {
                continue;
            }
            completion.workRequestId = slot.workRequestId;
            completion.status = slot.status;
            completion.opcode = slot.opcode;
            completion.queuePair = this;
            completion.byteSize = slot.byteSize;
            completion.hasImmediate = false;
            completion.immediate = 0;
            completion.cause = slot.cause;
            count++;
            handler.onCompletion(completion);
        }
        return count;
    }

    /** In ERROR: ends the next request undone. @return false if there is none, or no reason to */
    private boolean flushNext() {
        if (state != State.ERROR || executed == posted) {
            return false;
        }
        SendSlot slot = slot(executed++);
        slot.status = flushStatus;
        slot.cause = flushCause;
        flushStatus = CompletionStatus.WORK_REQUEST_FLUSHED;
        return true;
    }

    private int deliverReceives(Completion completion, CompletionHandler handler, int countMax) {
        int count = 0;
        while (count < countMax && state != State.CLOSED && reaped != receivesPosted) {
            if (reaped < half.ring().arrivedAcquire()) {
                fillArrived(completion);
            } else if (isNextReceiveFlushable()) {
                fillReceive(completion, CompletionStatus.WORK_REQUEST_FLUSHED, flushCause);
            } else {
                break;
            }
            reaped++;
            count++;
            handler.onCompletion(completion);
        }
        return count;
    }

    /** A receive that the peer has begun to fill is not given back before the peer has ended that, or is gone. */
    private boolean isNextReceiveFlushable() {
        return state == State.ERROR && (reaped >= claimedAtError || lostCause != null);
    }

    private void fillArrived(Completion completion) {
        ReceiveRing ring = half.ring();
        // Each of the peer's words is read once: it may change them at any time.
        long arrivedByteSize = ring.arrivedByteSize(reaped);
        long postedByteSize = receiveByteSizes[(int) reaped & receiveDepth - 1];
        fillReceive(completion, CompletionStatus.SUCCESS, null);
        completion.byteSize = arrivedByteSize;
        switch (ring.kind(reaped).checked(arrivedByteSize, postedByteSize)) {
            case SEND -> completion.opcode = Opcode.RECEIVE;
            case WRITE_WITH_IMMEDIATE -> {
                completion.opcode = Opcode.RECEIVE_WRITE_WITH_IMMEDIATE;
                completion.hasImmediate = true;
                completion.immediate = ring.immediate(reaped);
            }
            case TOO_SMALL ->
                failReceive(completion, CompletionStatus.LOCAL_LENGTH_ERROR, "receive is too small: posted="
                        + postedByteSize + " arrived=" + completion.byteSize + " from " + connection.peer());
            case UNUSABLE -> {
                String refusal = receiveRefusals[(int) reaped & receiveDepth - 1];
                failReceive(completion, CompletionStatus.LOCAL_PROTECTION_ERROR,
                        "receive: " + (refusal != null ? refusal : "its region was closed"));
            }
            case MALFORMED -> failReceive(completion, CompletionStatus.WORK_REQUEST_FLUSHED,
                    connection.peer() + " says of a receive what cannot be: byteSize=" + completion.byteSize);
            case ABANDONED -> failReceive(completion, CompletionStatus.WORK_REQUEST_FLUSHED,
                    connection.peer() + " failed in mid-transfer: " + peerHalf.cause());
        }
    }

    private void failReceive(Completion completion, CompletionStatus status, String cause) {
        completion.status = status;
        completion.cause = cause;
        if (state == State.READY) {
            enterError(CompletionStatus.WORK_REQUEST_FLUSHED, cause);
        }
    }

    private void fillReceive(Completion completion, CompletionStatus status, String cause) {
        completion.workRequestId = receiveIds[(int) reaped & receiveDepth - 1];
        completion.status = status;
        completion.opcode = Opcode.RECEIVE;
        completion.queuePair = this;
        completion.byteSize = 0;
        completion.hasImmediate = false;
        completion.immediate = 0;
        completion.cause = cause;
    }

    /** How long the poller may sleep if nobody rings: 0 if there is work, Long.MAX_VALUE if only a ring can bring some. */
    long idleNsMax() {
        if (state == State.CLOSED) {
            return Long.MAX_VALUE;
        }
        boolean isReady = state == State.READY;
        boolean hasReceive = reaped != receivesPosted
                && (reaped < half.ring().arrivedAcquire() || isNextReceiveFlushable());
        boolean hasFailure = isReady && (lostCause != null || peerHalf.stateAcquire() != QueuePairHalf.READY);
        if (delivered != executed || hasReceive || hasFailure) {
            return 0;
        }
        if (executed == posted) {
            return Long.MAX_VALUE;
        }
        SendSlot next = slot(executed);
        return isReady && next.isStarved ? Math.max(initiator.starvedRemainingNs(next), 0) : 0;
    }
}
