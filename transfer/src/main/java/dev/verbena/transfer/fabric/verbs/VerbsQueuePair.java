package dev.verbena.transfer.fabric.verbs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

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
 * <pre>
 *   sends  delivered &lt;= completed &lt;= handed &lt;= posted &lt;= delivered + sendDepth
 *          handed: given to the device; completed: over, as far as the device has said
 * </pre>
 *
 * <p>The device is given what is right in itself only. A request that is not (an element outside its region, a message
 * that is too long, an atomic that is not aligned) fails here when its turn has come, after all before it.
 *
 * <p>Threading: confined to the poller of its completion queue; {@link #number}, {@link #state} and {@link #inquiry} are
 * thread-safe.
 */
final class VerbsQueuePair implements QueuePair {
    private static final Logger LOGGER = LoggerFactory.getLogger(VerbsQueuePair.class);

    private final int index;
    private final VerbsCompletionQueue completionQueue;
    private final dev.verbena.verbs.QueuePair pair;
    private final int number;
    private final int entries;
    private final RequestCheck requests;
    private final RequestFaults faults;
    private final ReliablePair way;
    private final int queueIndex;
    private final long receiverNotReadyTimeoutNs;
    private VerbsConnection connection;

    private final SendPath sends;
    /** Of the requests that are outstanding, by number. */
    private final SendSlot[] slots;
    private final int signalEvery;
    private int unsignaledRun;
    private long posted;
    private long handed;
    private long completed;
    private long delivered;
    /** The request at {@code handed} is wrong in itself: nothing more is handed to the device. */
    private Failure stall;

    private final PostedReceives receives;
    /** Why it failed. */
    private final Inquiry inquiry;

    private volatile State state = State.READY;
    private long waitsForReceiverFrom = -1;
    private long waitsForReceiverSinceNs;

    /** The completion queue knows it before: a poller that is due meanwhile must leave it alone. */
    private volatile boolean isMade;

    VerbsQueuePair(VerbsFabric fabric, int index, QueuePairOptions options) {
        this.index = index;
        completionQueue = (VerbsCompletionQueue) options.completionQueue();
        receiverNotReadyTimeoutNs = options.receiverNotReadyTimeoutNs();
        requests = fabric.requests().of(options);
        faults = new RequestFaults(fabric);
        Wire wire = fabric.wire();
        pair = ReliablePair.create(fabric, wire.deviceOptions(options, completionQueue.queue()));
        number = pair.number();
        slots = new SendSlot[options.sendDepth()];
        Arrays.setAll(slots, i -> new SendSlot());
        signalEvery = Math.max(1, options.sendDepth() / 2);
        entries = wire.entries(options);
        try {
            queueIndex = completionQueue.attach(this, entries);
            // A device may take more inline than asked for.
            Wire.Ends ends = wire.ends(fabric, pair, queueIndex, options,
                    Math.min(options.inlineByteSizeMax(), pair.inlineByteSizeMax()));
            sends = ends.sends();
            receives = new PostedReceives(fabric, pair, queueIndex, options.receiveDepth(), ends.receives());
            inquiry = new Inquiry(this, index, receives, new PeerRequests(fabric, receives));
            way = ReliablePair.open(pair, fabric, receiverNotReadyTimeoutNs);
            isMade = true;
        } catch (RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    /** What the peer must know of it. */
    VerbsHello.PairAddress address() {
        return new VerbsHello.PairAddress(way.address(), sends.address());
    }

    /** Brings it to READY_TO_SEND. */
    void connect(VerbsHello.PairAddress peer) {
        sends.meet(peer.credit());
        way.connect(peer.address());
    }

    /** How the connection manager brings it to the peer's. */
    CmLink.End end(VerbsHello.PairAddress peer) {
        sends.meet(peer.credit());
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
        completionQueue.betweenPolls(sends::begin);
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
        long first = posted;
        long end = delivered + slots.length;
        WorkRequest request = head;
        while (request != null && posted != end) {
            request = postPart(request, end, posted == first);
        }
        if (stall != null && state == State.READY) {
            markStall();
        }
        if (state == State.ERROR) {
            completionQueue.addTroubled(this);
        }
        return (int) (posted - first);
    }

    /**
     * Posts as many as the device is handed at once; with the first part all before {@code end} are looked at, and none is posted if
     * one is wrong.
     *
     * @return the first that was not posted
     */
    private WorkRequest postPart(WorkRequest head, long end, boolean isFirst) {
        long partEnd = Math.min(end, posted + sends.capacity());
        Failure fault = stall;
        int unsignaled = unsignaledRun;
        long number = posted;
        int count = 0;
        WorkRequest request = head;
        if (fault == null && state == State.READY) {
            while (request != null && number != partEnd) {
                requests.check(request);
                SendSlot slot = slot(number);
                slot.fill(request);
                fault = fault(request, number, slot.byteSize);
                if (fault != null) {
                    break;
                }
                boolean isReported = slot.isSignaled || ++unsignaled == signalEvery;
                sends.write(count++, request, number, slot.byteSize, isReported);
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
            slot(number++).fill(request);
        }
        if (isFirst) {
            checkRest(request, end - number);
        }
        stall = fault;
        unsignaledRun = unsignaled;
        posted = number;
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
                        .of(describe(number, fault.status()).describe() + " to " + connection.peer() + ": "
                                + fault.what())
                        .withSend(number, fault.status());
    }

    private void hand(int count) {
        if (count == 0) {
            return;
        }
        try {
            int taken = sends.hand(count);
            handed += taken;
            if (taken < count) {
                inquiry.fail("the device took " + taken + " of " + count + " requests: its send queue is full");
            }
        } catch (VerbsException | TransferException e) {
            inquiry.fail(e.getMessage());
        }
    }

    /** All before the request that stalls must be known to be over. */
    private void markStall() {
        if (completed != handed && unsignaledRun != 0) {
            unsignaledRun = 0;
            if (!sends.report(handed - 1)) {
                inquiry.fail("the device took no request: its send queue is full");
            }
        }
        checkStall();
    }

    private void checkStall() {
        if (stall != null && state == State.READY && completed == handed) {
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

    private SendSlot slot(long number) {
        return slots[(int) number & slots.length - 1];
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
        long number = completed + ((int) id - (int) completed);
        completed = Math.max(completed, number + 1);
        delivered = number + 1;
        checkStall();
        SendSlot slot = slot(number);
        if (!slot.isSignaled) {
            return false;
        }
        fill(out, slot.workRequestId, CompletionStatus.SUCCESS, slot.opcode, slot.byteSize, null);
        return true;
    }

    private boolean isTakenByPath(long id) {
        try {
            return sends.takes(id);
        } catch (VerbsException | TransferException e) {
            inquiry.fail(e.getMessage());
            return false;
        }
    }

    private void takeFailedSend(int lowBits, WorkCompletionStatus status) {
        if (sends.isTold()) {
            long number = completed + (lowBits - (int) completed);
            completed = Math.max(completed, number + 1);
            if (state == State.READY) {
                delivered = number;
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

    FailedRequest describe(long number, CompletionStatus status) {
        SendSlot slot = slot(number);
        return new FailedRequest(index, status, slot.opcode, slot.byteSize, slot.remoteAddress, slot.rkey);
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
        sends.stop();
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
        return sends.isTold();
    }

    /** The first send of which it is not known that the peer has it. */
    long firstUnconfirmed() {
        return delivered;
    }

    /** All that the device was given and nobody knows to be done. */
    List<Suspects.Suspect> suspects() {
        List<Suspects.Suspect> all = new ArrayList<>();
        for (long i = delivered; i < sends.nextToDevice(); i++) {
            all.add(new Suspects.Suspect(describe(i, CompletionStatus.WORK_REQUEST_FLUSHED), sends.messageNumber(i)));
        }
        return all;
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
                && (!inquiry.failure().isSettled() || delivered != posted || receives.isAnyUndelivered());
    }

    /** Called by the completion queue within a poll. @return completions delivered */
    int deliverFailed(Completion completion, CompletionHandler handler, int countMax, long nowNs) {
        Failure failure = inquiry.failure();
        if (state != State.ERROR || countMax == 0 || !failure.isSettledBy(nowNs) || !isSilent(nowNs)) {
            return 0;
        }
        int count = 0;
        while (count < countMax && state == State.ERROR && delivered != posted
                && (delivered < completed || delivered >= handed)) {
            SendSlot slot = slot(delivered);
            CompletionStatus status = failure.takeSendStatus(delivered);
            delivered++;
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
        if (completed == handed && !receives.isUnderWay()) {
            return true;
        }
        if (!pair.isOpen()) {
            // And what it said before it was destroyed has been taken by now.
            completed = handed;
            receives.giveUp();
            return true;
        }
        if (!sends.isTold() || inquiry.failure().isFlushOverdue(nowNs)) {
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
        return isMade && state == State.READY
                && (sends.isAwaitingReceive() || isTimedHere() && firstThatConsumesReceive() >= 0);
    }

    private boolean isTimedHere() {
        return receiverNotReadyTimeoutNs != Long.MAX_VALUE
                && !(sends.isTold() && ReliablePair.isTimedByDevice(receiverNotReadyTimeoutNs));
    }

    private long firstThatConsumesReceive() {
        if (!sends.isTold()) {
            return sends.awaitingReceive();
        }
        for (long i = completed; i < handed; i++) {
            if (slot(i).opcode.consumesReceive()) {
                return i;
            }
        }
        return -1;
    }

    /** Called by the completion queue now and then. */
    void tick(long nowNs) {
        if (isMade && state == State.READY) {
            askAgain(nowNs);
            checkReceiverNotReady(nowNs);
        }
    }

    private void askAgain(long nowNs) {
        try {
            sends.askAgain(nowNs);
        } catch (VerbsException | TransferException e) {
            inquiry.fail(e.getMessage());
        }
    }

    private void checkReceiverNotReady(long nowNs) {
        long first = isTimedHere() ? firstThatConsumesReceive() : -1;
        if (first < 0 || first != waitsForReceiverFrom) {
            waitsForReceiverFrom = first;
            waitsForReceiverSinceNs = nowNs;
        } else if (nowNs - waitsForReceiverSinceNs >= receiverNotReadyTimeoutNs) {
            CompletionStatus status = CompletionStatus.RECEIVER_NOT_READY;
            String words = describe(first, status).describe() + " to " + connection.peer()
                    + ": it posted no receive for "
                    + TimeUnit.NANOSECONDS.toMillis(receiverNotReadyTimeoutNs) + " ms";
            Failure notReady = Failure.of(words).withSend(first, status);
            inquiry.fail(sends.isTold() ? notReady : notReady.withDoneBefore());
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
        sends.close();
    }
}
