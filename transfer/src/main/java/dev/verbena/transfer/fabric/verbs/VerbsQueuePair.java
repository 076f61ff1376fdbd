package dev.verbena.transfer.fabric.verbs;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.fabric.RequestCheck;
import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.QueuePairState;
import dev.verbena.verbs.QueuePairType;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SendRequests;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletionStatus;
import dev.verbena.verbs.WorkCompletions;

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
 * <p>Threading: confined to the poller of its completion queue; {@link #number}, {@link #state}, {@link #lose},
 * {@link #peerAsks} and {@link #peerTells} are thread-safe.
 */
final class VerbsQueuePair implements QueuePair {
    private static final Logger LOGGER = LoggerFactory.getLogger(VerbsQueuePair.class);
    private static final int CHUNK = 64;

    private final VerbsFabric fabric;
    private final int index;
    private final VerbsCompletionQueue completionQueue;
    private final dev.verbena.verbs.QueuePair pair;
    private final int number;
    private final int entries;
    private final RequestCheck requests;
    private final RequestFaults faults;
    private final int inlineByteSizeMax;
    private final int queueIndex;
    private final long receiverNotReadyTimeoutNs;
    private VerbsConnection connection;

    private final SendRequests sends;
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

    private volatile State state = State.READY;
    /** Null while READY. */
    private Failure failure;
    private long waitsForReceiverFrom = -1;
    private long waitsForReceiverSinceNs;

    // Set by the control thread, taken up by the next poll.
    private volatile String lostCause;
    private volatile FailedRequest question;
    private volatile String told;

    VerbsQueuePair(VerbsFabric fabric, int index, QueuePairOptions options) {
        this.fabric = fabric;
        this.index = index;
        completionQueue = (VerbsCompletionQueue) options.completionQueue();
        receiverNotReadyTimeoutNs = options.receiverNotReadyTimeoutNs();
        requests = fabric.requests().of(options);
        faults = new RequestFaults(fabric);
        // One more than asked for: the marker behind a request that stalls.
        int sendDepth = options.sendDepth() + 1;
        pair = ReliablePair.create(fabric, dev.verbena.verbs.QueuePairOptions
                .of(QueuePairType.RELIABLE_CONNECTED, completionQueue.queue())
                .withDepth(sendDepth, options.receiveDepth()).withElementCountMax(options.elementCountMax(), 1)
                .withInlineByteSizeMax(options.inlineByteSizeMax()));
        number = pair.number();
        // A device may give more than asked for.
        inlineByteSizeMax = Math.min(options.inlineByteSizeMax(), pair.inlineByteSizeMax());
        sends = new SendRequests(Math.min(options.sendDepth(), CHUNK), options.elementCountMax(), inlineByteSizeMax);
        slots = new SendSlot[options.sendDepth()];
        Arrays.setAll(slots, i -> new SendSlot());
        signalEvery = Math.max(1, options.sendDepth() / 2);
        entries = sendDepth + options.receiveDepth();
        try {
            queueIndex = completionQueue.attach(this, entries);
            receives = new PostedReceives(fabric, pair, queueIndex, options.receiveDepth());
            ReliablePair.open(pair, fabric);
        } catch (RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    /** Brings it to READY_TO_SEND. */
    void connect(VerbsHello peer, int peerNumber, int peerPacketSequence, int packetSequence) {
        ReliablePair.connect(pair, fabric, peer, peerNumber, peerPacketSequence, packetSequence,
                receiverNotReadyTimeoutNs);
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
        return now == State.READY && (lostCause != null || told != null || question != null) ? State.ERROR : now;
    }

    @Override
    public Connection connection() {
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
        boolean isReady = state == State.READY;
        Failure fault = stall;
        int unsignaled = unsignaledRun;
        long number = posted;
        int count = 0;
        WorkRequest request = head;
        for (; request != null && number != partEnd; request = request.next) {
            requests.check(request);
            SendSlot slot = slot(number);
            slot.fill(request);
            if (fault == null && isReady) {
                fault = fault(request, number, slot.byteSize);
                if (fault == null) {
                    SendRequest native_ = sends.get(count++);
                    SendRequestWriter.write(native_, VerbsCompletionQueue.workRequestId(queueIndex, false, number),
                            request, slot.byteSize, inlineByteSizeMax);
                    if (slot.isSignaled || ++unsignaled == signalEvery) {
                        native_.signaled();
                        unsignaled = 0;
                    }
                }
            }
            number++;
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
            int taken = pair.post(sends, 0, count);
            handed += taken;
            if (taken < count) {
                failHere("the device took " + taken + " of " + count + " requests: its send queue is full");
            }
        } catch (VerbsException e) {
            failHere(e.getMessage());
        }
    }

    /** All before the request that stalls must be known to be over: a write of nothing behind them will say so. */
    private void markStall() {
        if (completed != handed && unsignaledRun != 0) {
            unsignaledRun = 0;
            sends.get(0).write(VerbsCompletionQueue.workRequestId(queueIndex, false, handed - 1), 0, 0).signaled();
            if (pair.post(sends, 0, 1) != 1) {
                failHere("the device took no request: its send queue is full");
            }
        }
        checkStall();
    }

    private void checkStall() {
        if (stall != null && state == State.READY && completed == handed) {
            enterError(stall);
            tell(stall.cause());
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
                failHere(fault);
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
                : takeSend((int) id, status, out);
    }

    private boolean takeSend(int lowBits, WorkCompletionStatus status, Completion out) {
        long number = completed + (lowBits - (int) completed);
        completed = Math.max(completed, number + 1);
        if (status != WorkCompletionStatus.SUCCESS) {
            if (state == State.READY) {
                delivered = number;
                sendFailed(number, status);
            }
            return false;
        }
        delivered = number + 1;
        checkStall();
        SendSlot slot = slot(number);
        if (!slot.isSignaled) {
            return false;
        }
        fill(out, slot.workRequestId, CompletionStatus.SUCCESS, slot.opcode, slot.byteSize, null);
        return true;
    }

    private boolean takeReceive(int lowBits, WorkCompletionStatus status, WorkCompletions found, int i,
            Completion out) {
        long number = receives.complete(lowBits);
        if (status != WorkCompletionStatus.SUCCESS) {
            receiveFailed(number, status);
            return false;
        }
        receives.delivered(number);
        boolean hasImmediate = found.hasImmediate(i);
        fill(out, receives.id(number), CompletionStatus.SUCCESS,
                hasImmediate ? Opcode.RECEIVE_WRITE_WITH_IMMEDIATE : Opcode.RECEIVE, found.byteSize(i), null);
        out.hasImmediate = hasImmediate;
        out.immediate = hasImmediate ? found.immediate(i) : 0;
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

    private void sendFailed(long number, WorkCompletionStatus deviceStatus) {
        if (deviceStatus == WorkCompletionStatus.WORK_REQUEST_FLUSHED) {
            enterError(Failure.awaiting("the queue pair failed, and " + connection.peer() + " does not say why"));
            return;
        }
        CompletionStatus status = Statuses.ofSend(deviceStatus);
        FailedRequest failed = describe(number, status);
        String words = failed.describe() + " to " + connection.peer() + ": " + deviceStatus.meaning();
        if (status == CompletionStatus.RECEIVER_NOT_READY || status == CompletionStatus.LOCAL_PROTECTION_ERROR) {
            enterError(Failure.of(words).withSend(number, status));
            tell(words);
        } else {
            enterError(Failure.asking(words).withSend(number, status));
            connection.send(Frame.Type.FAILED, failed.encode());
        }
    }

    private void receiveFailed(long number, WorkCompletionStatus deviceStatus) {
        // A write with immediate that is refused takes a receive with it on some devices; the receive is not to blame.
        boolean isFlushed = deviceStatus == WorkCompletionStatus.WORK_REQUEST_FLUSHED
                || deviceStatus == WorkCompletionStatus.REMOTE_ACCESS_ERROR
                || deviceStatus == WorkCompletionStatus.LOCAL_ACCESS_ERROR;
        if (state == State.READY) {
            enterError(Failure.awaiting((isFlushed ? "the queue pair failed" : receives.fault(number)) + ", and "
                    + connection.peer() + " does not say more"));
        }
        if (!isFlushed) {
            failure.receiveFailed(number, receives.refusal(number) == null ? CompletionStatus.LOCAL_LENGTH_ERROR
                    : CompletionStatus.LOCAL_PROTECTION_ERROR);
        }
    }

    private FailedRequest describe(long number, CompletionStatus status) {
        SendSlot slot = slot(number);
        return new FailedRequest(index, status, slot.opcode, slot.byteSize, slot.remoteAddress, slot.rkey);
    }

    // ---- failing ----

    @Override
    public void fail(String cause) {
        checkNotClosed();
        failHere(cause);
    }

    private void failHere(String cause) {
        if (state == State.READY) {
            enterError(Failure.of(cause));
            tell(cause);
        }
    }

    private void enterError(Failure failure) {
        move(State.ERROR);
        this.failure = failure;
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

    private void tell(String cause) {
        connection.send(Frame.Type.FINDING, new Finding(index, cause).encode());
    }

    // ---- what the peer says; the first three from the control thread ----

    void lose(String cause) {
        lostCause = cause;
        completionQueue.signalNews();
    }

    void peerAsks(FailedRequest failed) {
        question = failed;
        completionQueue.signalNews();
    }

    void peerTells(String cause) {
        told = cause;
        completionQueue.signalNews();
    }

    /** Called by the completion queue, which holds its lock. */
    void takeNews() {
        if (state == State.CLOSED) {
            return;
        }
        FailedRequest asked = question;
        if (asked != null) {
            question = null;
            String finding = finding(asked);
            settle(connection.peer() + " failed: " + finding, CompletionStatus.WORK_REQUEST_FLUSHED);
            tell(finding);
        }
        String cause = told;
        if (cause != null) {
            told = null;
            boolean isAnswer = failure != null && failure.isAsked();
            settle(isAnswer ? cause : connection.peer() + " failed: " + cause,
                    CompletionStatus.WORK_REQUEST_FLUSHED);
        }
        String lost = lostCause;
        if (lost != null) {
            settle(failure == null ? lost : failure.ownWords() + "; " + lost, CompletionStatus.RETRY_EXCEEDED);
        }
    }

    private void settle(String cause, CompletionStatus firstStatus) {
        if (state == State.READY) {
            enterError(Failure.of(cause).withFirstStatus(firstStatus));
        } else {
            failure.settle(cause);
        }
    }

    /** What this side knows of why its device refused the peer's request. */
    private String finding(FailedRequest failed) {
        String detail = switch (failed.status()) {
            case REMOTE_ACCESS_ERROR -> accessFinding(failed);
            case REMOTE_INVALID_REQUEST -> failed.opcode().consumesReceive()
                    ? receives.fault(failure == null ? receives.next() : failure.failedReceiveOr(receives.next()))
                    : "it is not valid";
            default -> failed.status().toString();
        };
        return failed.describe() + " to " + fabric.localName() + ": " + detail;
    }

    private String accessFinding(FailedRequest failed) {
        VerbsRegion region = fabric.region(failed.rkey());
        if (region == null) {
            return "there is no region with that rkey, or it is closed";
        }
        int right = switch (failed.opcode()) {
            case READ -> Rights.REMOTE_READ;
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> Rights.REMOTE_ATOMIC;
            default -> Rights.REMOTE_WRITE;
        };
        String refusal = region.refusal(fabric, failed.remoteAddress() - region.address(), failed.byteSize(), right);
        return refusal == null ? "the device refuses it, though the region allows it" : refusal;
    }

    // ---- delivering what failed ----

    boolean isTroubled() {
        return state == State.ERROR && (!failure.isSettled() || delivered != posted || receives.isAnyUndelivered());
    }

    /** Called by the completion queue within a poll. @return completions delivered */
    int deliverFailed(Completion completion, CompletionHandler handler, int countMax, long nowNs) {
        if (state != State.ERROR || !failure.isSettledBy(nowNs)) {
            return 0;
        }
        if ((completed != handed || receives.isUnderWay()) && failure.isFlushOverdue(nowNs)) {
            // Once it is destroyed, the device does not touch the memory of what it has not reported.
            LOGGER.warn("{} does not flush its requests; it is destroyed", pair);
            pair.close();
            completed = handed;
            receives.giveUp();
        }
        int count = 0;
        while (count < countMax && state == State.ERROR && delivered != posted
                && (delivered < completed || delivered >= handed)) {
            SendSlot slot = slot(delivered);
            fill(completion, slot.workRequestId, failure.takeSendStatus(delivered), slot.opcode, slot.byteSize,
                    failure.cause());
            delivered++;
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

    // ---- a peer that posts no receive ----

    /** Whether a request waits for a receive of the peer, for a time that is measured here. */
    boolean isReceiverAwaited() {
        return state == State.READY && receiverNotReadyTimeoutNs != Long.MAX_VALUE
                && !ReliablePair.isTimedByDevice(receiverNotReadyTimeoutNs) && firstThatConsumesReceive() >= 0;
    }

    private long firstThatConsumesReceive() {
        for (long i = completed; i < handed; i++) {
            if (slot(i).opcode.consumesReceive()) {
                return i;
            }
        }
        return -1;
    }

    /** Called by the completion queue now and then. */
    void checkReceiverNotReady(long nowNs) {
        if (!isReceiverAwaited()) {
            waitsForReceiverFrom = -1;
            return;
        }
        long first = firstThatConsumesReceive();
        if (first != waitsForReceiverFrom) {
            waitsForReceiverFrom = first;
            waitsForReceiverSinceNs = nowNs;
        } else if (nowNs - waitsForReceiverSinceNs >= receiverNotReadyTimeoutNs) {
            CompletionStatus status = CompletionStatus.RECEIVER_NOT_READY;
            String words = describe(first, status).describe() + " to " + connection.peer()
                    + ": it posted no receive for "
                    + TimeUnit.NANOSECONDS.toMillis(receiverNotReadyTimeoutNs) + " ms";
            enterError(Failure.of(words).withSend(first, status));
            tell(words);
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
    }
}
