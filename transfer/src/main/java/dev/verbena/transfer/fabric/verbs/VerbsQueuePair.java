package dev.verbena.transfer.fabric.verbs;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.fabric.RequestCheck;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;
import dev.verbena.transfer.fabric.verbs.cm.CmLink;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.QueuePairState;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletionStatus;
import dev.verbena.verbs.WorkCompletions;
import dev.verbena.verbs.cm.CmId;
import dev.verbena.verbs.cm.ConnectionParameters;

/**
 * A reliable connected queue pair of the device.
 *
 * <p>The device is given what is right in itself only. A request that is not (an element outside its region, a message
 * that is too long, an atomic that is not aligned) fails here when its turn has come, after all before it.
 *
 * <p>Threading: confined to the poller of its completion queue; {@link #number}, {@link #state} and {@link #inquiry} are
 * thread-safe.
 */
final class VerbsQueuePair implements QueuePair {
    private static final Logger LOGGER = LoggerFactory.getLogger(VerbsQueuePair.class);

    private final VerbsCompletionQueue completionQueue;
    private final dev.verbena.verbs.QueuePair pair;
    private final int number;
    private final int entries;
    private final RequestCheck requests;
    private final RequestFaults faults;
    private final ReliablePair way;
    private final int queueIndex;
    private VerbsConnection connection;

    private final SendPath path;
    private final PostedSends sends;
    private final ReceiverWait wait;
    private final int signalEvery;
    private int unsignaledRun;
    /** The next request to be handed to the device is wrong in itself: nothing more is handed to the device. */
    private Failure stall;

    private final PostedReceives receives;
    /** Why it failed. */
    private final Inquiry inquiry;

    private volatile State state = State.READY;
    /** As the device says ({@code ibv_query_qp_data_in_order(3)}), which some know only from READY_TO_SEND on. */
    private volatile boolean writesInOrder;

    /** The completion queue knows it before: a poller that is due meanwhile must leave it alone. */
    private volatile boolean isMade;

    VerbsQueuePair(VerbsFabric fabric, int index, QueuePairOptions options) {
        completionQueue = (VerbsCompletionQueue) options.completionQueue();
        requests = fabric.requests().of(options);
        faults = new RequestFaults(fabric);
        Wire wire = fabric.wire();
        pair = ReliablePair.create(fabric, wire.deviceOptions(options, completionQueue.queue()));
        number = pair.number();
        signalEvery = Math.max(1, options.sendDepth() / 2);
        entries = wire.entries(options);
        try {
            queueIndex = completionQueue.attach(this, entries);
            // A device may take more inline than asked for.
            Wire.Ends ends = wire.ends(fabric, pair, queueIndex, options,
                    Math.min(options.inlineByteSizeMax(), pair.inlineByteSizeMax()));
            path = ends.sends();
            sends = new PostedSends(index, options.sendDepth(), path);
            wait = new ReceiverWait(sends, path, options.receiverNotReadyTimeoutNs());
            receives = new PostedReceives(fabric, pair, queueIndex, options.receiveDepth(), ends.receives());
            inquiry = new Inquiry(this, index, sends, receives, new PeerRequests(fabric, receives));
            way = ReliablePair.open(pair, fabric, options.receiverNotReadyTimeoutNs());
            isMade = true;
        } catch (RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    /** What the peer must know of it. */
    VerbsHello.PairAddress address() {
        return new VerbsHello.PairAddress(way.address(), path.address());
    }

    /** Brings it to READY_TO_SEND. */
    void connect(VerbsHello.PairAddress peer) {
        path.meet(peer.credit());
        way.connect(peer.address());
        askForOrder();
    }

    /** When it is READY_TO_SEND. */
    void askForOrder() {
        writesInOrder = pair.writesInOrder();
    }

    /** How the connection manager brings it to the peer's. */
    CmLink.End end(VerbsHello.PairAddress peer) {
        path.meet(peer.credit());
        return new CmLink.End() {
            @Override
            public ConnectionParameters parameters() {
                return way.parameters(peer.address());
            }

            @Override
            public void makeReady(CmId id) {
                way.connect(peer.address(), id);
            }
        };
    }

    /** On the side that connects, once it is connected. */
    void begin() {
        completionQueue.betweenPolls(path::begin);
    }

    /** Before anything is posted. */
    void belongTo(VerbsConnection connection) {
        this.connection = connection;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public State state() {
        State now = state;
        return now == State.READY && inquiry.hasNews() ? State.ERROR : now;
    }

    @Override
    public boolean writesInOrder() {
        return writesInOrder;
    }

    @Override
    public VerbsConnection connection() {
        return connection;
    }

    @Override
    public VerbsCompletionQueue completionQueue() {
        return completionQueue;
    }

    // ---- posting ----

    @Override
    public int post(WorkRequest head) {
        checkNotClosed();
        long first = sends.posted();
        long end = sends.end();
        WorkRequest request = head;
        while (request != null && sends.posted() != end) {
            request = postPart(request, end, sends.posted() == first);
        }
        if (stall != null && state == State.READY) {
            markStall();
        }
        if (state == State.ERROR) {
            completionQueue.addTroubled(this);
        }
        return (int) (sends.posted() - first);
    }

    /**
     * Posts as many as the device is handed at once; with the first part all before {@code end} are looked at, and none is posted if
     * one is wrong.
     *
     * @return the first that was not posted
     */
    private WorkRequest postPart(WorkRequest head, long end, boolean isFirst) {
        long partEnd = Math.min(end, sends.posted() + path.capacity());
        Failure fault = stall;
        int unsignaled = unsignaledRun;
        long number = sends.posted();
        int count = 0;
        WorkRequest request = head;
        if (fault == null && state == State.READY) {
            while (request != null && number != partEnd) {
                requests.check(request);
                SendSlot slot = sends.slot(number);
                slot.fill(request);
                fault = fault(request, number, slot.byteSize);
                if (fault != null) {
                    break;
                }
                boolean isReported = slot.isSignaled || ++unsignaled == signalEvery;
                path.write(count++, request, number, slot.byteSize, isReported);
                if (isReported) {
                    unsignaled = 0;
                }
                request = request.next;
                number++;
            }
        }
        // What is wrong, and what comes behind that or after the queue pair has failed, is noted alone.
        for (; request != null && number != partEnd; request = request.next) {
            requests.check(request);
            sends.slot(number++).fill(request);
        }
        if (isFirst) {
            checkRest(request, end - number);
        }
        stall = fault;
        unsignaledRun = unsignaled;
        sends.postedBefore(number);
        hand(count);
        return request;
    }

    private void checkRest(WorkRequest head, long countMax) {
        long count = 0;
        for (WorkRequest request = head; request != null && count < countMax; request = request.next) {
            requests.check(request);
            count++;
        }
    }

    /** What is wrong with a request in itself, or null. */
    private Failure fault(WorkRequest request, long number, long byteSize) {
        RequestFaults.Fault fault = faults.find(request, byteSize);
        return fault == null ? null
                : Failure
                        .of(sends.describe(number, fault.status()).describe() + " to " + connection.peer() + ": "
                                + fault.what())
                        .withSend(number, fault.status());
    }

    private void hand(int count) {
        if (count == 0) {
            return;
        }
        try {
            int taken = path.hand(count);
            sends.handed(taken);
            if (taken < count) {
                inquiry.fail("the device took " + taken + " of " + count + " requests: its send queue is full");
            }
        } catch (VerbsException | TransferException e) {
            inquiry.fail(e.getMessage());
        }
    }

    /** All before the request that stalls must be known to be over. */
    private void markStall() {
        if (sends.isUnderWay() && unsignaledRun != 0) {
            unsignaledRun = 0;
            if (!path.report(sends.last())) {
                inquiry.fail("the device took no request: its send queue is full");
            }
        }
        checkStall();
    }

    private void checkStall() {
        if (stall != null && state == State.READY && !sends.isUnderWay()) {
            inquiry.fail(stall);
        }
    }

    @Override
    public boolean postReceive(long workRequestId, MemoryRegion region, long offset, long byteSize) {
        checkNotClosed();
        requests.checkReceive(workRequestId, region, byteSize);
        if (receives.isFull()) {
            return false;
        }
        if (state == State.READY) {
            String fault = receives.post(workRequestId, (VerbsRegion) region, offset, byteSize);
            if (fault != null) {
                inquiry.fail(fault);
            }
        } else {
            receives.add(workRequestId, (VerbsRegion) region, offset, byteSize);
            completionQueue.addTroubled(this);
        }
        return true;
    }

    private void checkNotClosed() {
        if (state == State.CLOSED) {
            throw new IllegalStateException("queue pair " + number + " to " + connection.peer() + " is closed");
        }
    }

    // ---- what the device says ----

    /** Takes a completion of the device. @return whether {@code out} is to be delivered now */
    boolean take(WorkCompletions found, int i, Completion out) {
        long id = found.workRequestId(i);
        WorkCompletionStatus status = found.status(i);
        return VerbsCompletionQueue.isReceive(id) ? takeReceive((int) id, status, found, i, out)
                : takeSend(id, status, out);
    }

    private boolean takeSend(long id, WorkCompletionStatus status, Completion out) {
        if (status != WorkCompletionStatus.SUCCESS) {
            takeFailedSend((int) id, status);
            return false;
        }
        if (isTakenByPath(id)) {
            return false;
        }
        long number = sends.number((int) id);
        sends.completed(number);
        sends.deliveredBefore(number + 1);
        checkStall();
        SendSlot slot = sends.slot(number);
        if (!slot.isSignaled) {
            return false;
        }
        fill(out, slot.workRequestId, CompletionStatus.SUCCESS, slot.opcode, slot.byteSize, null);
        return true;
    }

    private boolean isTakenByPath(long id) {
        try {
            return path.takes(id);
        } catch (VerbsException | TransferException e) {
            inquiry.fail(e.getMessage());
            return false;
        }
    }

    private void takeFailedSend(int lowBits, WorkCompletionStatus status) {
        if (path.isTold()) {
            long number = sends.number(lowBits);
            sends.completed(number);
            if (state == State.READY) {
                sends.deliveredBefore(number);
                inquiry.sendFailed(number, status);
            }
        } else if (state == State.READY) {
            inquiry.endUntold("the connection of its queue pair has ended: " + status.meaning());
        }
    }

    private boolean takeReceive(int lowBits, WorkCompletionStatus status, WorkCompletions found, int i,
            Completion out) {
        long number = receives.complete(lowBits);
        if (status != WorkCompletionStatus.SUCCESS) {
            inquiry.receiveFailed(number, status);
            return false;
        }
        receives.delivered(number);
        fill(out, receives.id(number), CompletionStatus.SUCCESS, Opcode.RECEIVE, 0, null);
        try {
            receives.read(found, i, number, out);
        } catch (VerbsException | TransferException e) {
            inquiry.fail(e.getMessage());
        }
        return true;
    }

    private void fill(Completion out, long workRequestId, CompletionStatus status, Opcode opcode, long byteSize,
            String cause) {
        out.workRequestId = workRequestId;
        out.status = status;
        out.opcode = opcode;
        out.queuePair = this;
        out.byteSize = byteSize;
        out.hasImmediate = false;
        out.immediate = 0;
        out.cause = cause;
    }

    // ---- failing ----

    @Override
    public void fail(String cause) {
        checkNotClosed();
        inquiry.fail(cause);
    }

    /** Called by the inquiry, which knows why. */
    void enterError() {
        move(State.ERROR);
        path.stop();
        stop();
        completionQueue.addTroubled(this);
    }

    /** What is outstanding is flushed. */
    private void stop() {
        try {
            pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
        } catch (VerbsException e) {
            LOGGER.debug("{} cannot be moved to ERROR; it will be destroyed as it is", pair, e);
        }
    }

    private void move(State next) {
        if (next.ordinal() <= state.ordinal()) {
            throw new IllegalStateException("queue pair " + number + " cannot move from " + state + " to " + next);
        }
        state = next;
    }

    Inquiry inquiry() {
        return inquiry;
    }

    boolean isReady() {
        return state == State.READY;
    }

    /** Whether the device says of each request whether the peer has it, and why not. */
    boolean isTold() {
        return path.isTold();
    }

    /** Called by the completion queue, which holds its lock. */
    void takeNews() {
        if (isMade && state != State.CLOSED) {
            inquiry.takeNews();
        }
    }

    // ---- delivering what failed ----

    boolean isTroubled() {
        return state == State.ERROR
                && (!inquiry.failure().isSettled() || sends.isAnyUndelivered() || receives.isAnyUndelivered());
    }

    /** Called by the completion queue within a poll. @return completions delivered */
    int deliverFailed(Completion completion, CompletionHandler handler, int countMax, long nowNs) {
        Failure failure = inquiry.failure();
        if (state != State.ERROR || countMax == 0 || !failure.isSettledBy(nowNs) || !isSilent(nowNs)) {
            return 0;
        }
        int count = 0;
        while (count < countMax && state == State.ERROR && sends.isNextOver()) {
            long number = sends.next();
            SendSlot slot = sends.slot(number);
            CompletionStatus status = failure.takeSendStatus(number);
            sends.deliveredBefore(number + 1);
            if (status == CompletionStatus.SUCCESS && !slot.isSignaled) {
                continue;
            }
            fill(completion, slot.workRequestId, status, slot.opcode, slot.byteSize,
                    status == CompletionStatus.SUCCESS ? null : failure.cause());
            count++;
            handler.onCompletion(completion);
        }
        while (count < countMax && state == State.ERROR && receives.isNextOver()) {
            long number = receives.next();
            fill(completion, receives.id(number), failure.receiveStatus(number), Opcode.RECEIVE, 0, failure.cause());
            receives.delivered(number);
            count++;
            handler.onCompletion(completion);
        }
        return count;
    }

    /** Whether the device has said all that it will. Called when its completion queue has been drained. */
    private boolean isSilent(long nowNs) {
        if (!sends.isUnderWay() && !receives.isUnderWay()) {
            return true;
        }
        if (!pair.isOpen()) {
            // And what it said before it was destroyed has been taken by now.
            sends.giveUp();
            receives.giveUp();
            return true;
        }
        if (!path.isTold() || inquiry.failure().isFlushOverdue(nowNs)) {
            // Once it is destroyed, the device does not touch the memory of what it has not reported.
            LOGGER.debug("{} is destroyed, for its device does not flush all requests", pair);
            pair.close();
            return false;
        }
        return true;
    }

    // ---- a peer that posts no receive ----

    /** Whether a request waits for a receive of the peer, so that something is to be done in time. */
    boolean isReceiverAwaited() {
        return isMade && state == State.READY && wait.isOn();
    }

    long idleNsMax() {
        return isMade && state == State.READY ? path.idleNsMax() : Long.MAX_VALUE;
    }

    /** Called by the completion queue now and then. */
    void tick(long nowNs) {
        // One whose connection is still in the making has posted nothing.
        if (isMade && connection != null && state == State.READY) {
            askAgain(nowNs);
            Failure notReady = wait.look(nowNs, connection.peer());
            if (notReady != null) {
                inquiry.fail(notReady);
            }
        }
    }

    private void askAgain(long nowNs) {
        try {
            path.askAgain(nowNs);
        } catch (VerbsException | TransferException e) {
            inquiry.fail(e.getMessage());
        }
    }

    // ---- the end ----

    /** First to ERROR, so that the device stops, then away. Idempotent. */
    void destroy() {
        if (state != State.CLOSED) {
            completionQueue.detach(this, queueIndex, entries, this::destroyNow);
        }
    }

    private void destroyNow() {
        boolean wasReady = state == State.READY;
        move(State.CLOSED);
        if (pair.isOpen()) {
            if (wasReady) {
                stop();
            }
            pair.close();
        }
        path.close();
    }
}
