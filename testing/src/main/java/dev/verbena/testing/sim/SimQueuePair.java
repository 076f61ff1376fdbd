package dev.verbena.testing.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * One end of a pair.
 *
 * <p><b>Owner:</b> its connection. <b>Threading:</b> confined to the simulation.
 */
final class SimQueuePair implements QueuePair {
    private final Simulation simulation;
    private final SimFabric fabric;
    private final SimConnection connection;
    private final int index;
    private final int number;
    private final SimCompletionQueue completionQueue;
    private final RequestRules rules;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Initiator initiator;
    private final Lane arrivals;
    private State state = State.READY;
    /** In ERROR: what is given back says why, and of requests the first one in which words. */
    private String cause;
    private CompletionStatus firstStatus;

    SimQueuePair(Simulation simulation, SimFabric fabric, SimConnection connection, int index,
            QueuePairOptions options) {
        this.simulation = simulation;
        this.fabric = fabric;
        this.connection = connection;
        this.index = index;
        number = fabric.nextQueuePairNumber();
        completionQueue = (SimCompletionQueue) options.completionQueue();
        rules = RequestRules.of(fabric, options);
        sends = new SendQueue(options.sendDepth());
        receives = new ReceiveQueue(options.receiveDepth());
        initiator = new Initiator(simulation, this, sends, options.receiverNotReadyTimeoutNs());
        arrivals = new Lane(simulation);
        completionQueue.attach(this);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public boolean writesInOrder() {
        return switch ((int) simulation.plan().get(Fault.RELAXED_ORDER)) {
            case 0 -> true;
            case 1 -> false;
            default -> index % 2 == 0;
        };
    }

    @Override
    public SimConnection connection() {
        return connection;
    }

    @Override
    public SimCompletionQueue completionQueue() {
        return completionQueue;
    }

    // ---- posting ----

    @Override
    public int post(WorkRequest head) {
        checkNotClosed();
        boolean isIdle = sends.room() > 0 && !sends.isAnySignaled();
        int listed = 0;
        for (WorkRequest each = head; each != null && listed < sends.room(); each = each.next) {
            rules.check(each);
            listed++;
        }
        int count = simulation.chance().postCount(listed, isIdle);
        WorkRequest each = head;
        for (int i = 0; i < count; i++) {
            sends.add(new SimRequest(each));
            fabric.onPost(each.opcode);
            each = each.next;
        }
        if (count > 0 && connection.isFailureTold()) {
            fabric.onPostAfterFailure();
        }
        initiator.goOn();
        return count;
    }

    @Override
    public boolean postReceive(long workRequestId, MemoryRegion region, long offset, long byteSize) {
        checkNotClosed();
        rules.checkReceive(workRequestId, region, byteSize);
        if (receives.isFull()) {
            return false;
        }
        receives.post(new SimReceive(workRequestId, (SimRegion) region, offset, byteSize));
        return true;
    }

    // ---- at once ----

    @Override
    public boolean tryPut(MemorySegment source, long offset, long byteSize, long address, long rkey) {
        SimRegion region = reach(AccessRight.REMOTE_WRITE, address, byteSize, rkey);
        if (region == null) {
            return false;
        }
        boolean isRefused = isRefusedAtOnce();
        long landed = isRefused ? simulation.chance().below((int) byteSize + 1)
                : byteSize - simulation.conduct().missing();
        MemorySegment.copy(source, offset, region.bytes(), address - region.address(), Math.max(landed, 0));
        return !isRefused;
    }

    @Override
    public boolean tryPutWord(long address, long rkey, long word, boolean tellsPolls) {
        SimRegion region = address % Long.BYTES != 0 ? null
                : reach(AccessRight.REMOTE_WRITE, address, Long.BYTES, rkey);
        if (region == null || isRefusedAtOnce()) {
            return false;
        }
        region.bytes().set(ValueLayout.JAVA_LONG_UNALIGNED, address - region.address(), word);
        peer().completionQueue.onPut(tellsPolls);
        return true;
    }

    @Override
    public boolean tryGet(long address, long rkey, MemorySegment target, long offset, long byteSize) {
        SimRegion region = reach(AccessRight.REMOTE_READ, address, byteSize, rkey);
        if (region == null || isRefusedAtOnce()) {
            return false;
        }
        MemorySegment.copy(region.bytes(), address - region.address(), target, offset, byteSize);
        return true;
    }

    private boolean isRefusedAtOnce() {
        return simulation.chance().happens(Fault.REFUSED_AT_ONCE_ONE_IN);
    }

    /** @return null if the fabric, the peer, or its region does not let it */
    private SimRegion reach(AccessRight right, long address, long byteSize, long rkey) {
        simulation.checkThread();
        if (!fabric.capabilities().mapsPeerMemory() || state != State.READY || !reachesPeer()) {
            return null;
        }
        SimRegion region = peer().memory().find(rkey);
        boolean isAllowed = region != null && region.contains(address, byteSize)
                && (region.rights().contains(right) || !simulation.conduct().checksAccess());
        return isAllowed ? region : null;
    }

    private void checkNotClosed() {
        simulation.checkThread();
        if (state == State.CLOSED) {
            throw new IllegalStateException("queue pair " + this + " to " + peerName() + " is closed");
        }
    }

    // ---- what the initiators of both sides need ----

    SimQueuePair peer() {
        return connection.peer().queuePair(index);
    }

    String peerName() {
        return connection.peerInWords();
    }

    SimMemory memory() {
        return fabric.memory();
    }

    ReceiveQueue receives() {
        return receives;
    }

    /** Whether what is sent now has somebody to go to. */
    boolean reachesPeer() {
        return connection.reachesPeer() && peer().state == State.READY;
    }

    /** Whether the peer has closed, and this side has not. */
    boolean isTargetClosed() {
        return state != State.CLOSED && connection.peer() != null && peer().state == State.CLOSED;
    }

    /** What the peer's side says to a request of this one. */
    void onAnswer(SimRequest request, CompletionStatus status, String cause) {
        if (state != State.READY || request.isDone() || !connection.reachesPeer()) {
            return;
        }
        request.end(status, cause);
        if (status != CompletionStatus.SUCCESS) {
            enterError(CompletionStatus.WORK_REQUEST_FLUSHED, cause, true);
        }
        completionQueue.onReady();
    }

    /** A message has ended in one of this side's receives. */
    void onArrival(SimReceive receive) {
        arrivals.send(this + " receives " + receive.workRequestId, () -> {
            receive.isVisible = true;
            completionQueue.onReady();
        });
    }

    /** A message cannot be received into this one. The peer hears it from the answer to its message. */
    void failReceive(SimReceive receive, CompletionStatus status, String cause) {
        receive.fail(status, cause + " from " + peerName());
        enterError(CompletionStatus.WORK_REQUEST_FLUSHED, receive.cause, false);
    }

    // ---- ends ----

    @Override
    public void fail(String cause) {
        checkNotClosed();
        connection.onFailureTold();
        if (state == State.READY) {
            enterError(CompletionStatus.WORK_REQUEST_FLUSHED, cause, true);
        }
    }

    /** Its completion queue is of no use any more. */
    void overrun(String cause) {
        if (state == State.READY) {
            enterError(CompletionStatus.WORK_REQUEST_FLUSHED, cause, true);
        }
    }

    void onPeerFailed(String cause) {
        if (state == State.READY) {
            enterError(CompletionStatus.WORK_REQUEST_FLUSHED, peerName() + " failed: " + cause, false);
        }
    }

    void lose(String cause) {
        if (state == State.READY) {
            enterError(CompletionStatus.RETRY_EXCEEDED, cause, false);
        }
    }

    private void enterError(CompletionStatus firstStatus, String cause, boolean tellsPeer) {
        move(State.ERROR);
        this.firstStatus = firstStatus;
        this.cause = cause;
        initiator.stop();
        simulation.note(this + " fails");
        if (tellsPeer && simulation.conduct().tellsPeerOfFailure()) {
            connection.tell("failure of " + this, peer -> peer.queuePair(index).onPeerFailed(cause));
        }
    }

    void close() {
        move(State.CLOSED);
        initiator.stop();
        if (simulation.conduct().releases()) {
            completionQueue.detach(this);
        }
    }

    private void move(State next) {
        if (next.ordinal() <= state.ordinal()) {
            throw new IllegalStateException("queue pair " + this + " cannot move from " + state + " to " + next);
        }
        state = next;
    }

    // ---- polling ----

    private boolean hasSend() {
        return sends.done() != null || flushes() && !sends.isEmpty();
    }

    private boolean hasReceive() {
        return receives.ended(state == State.ERROR) != null || flushes() && !receives.isEmpty();
    }

    private boolean flushes() {
        return state == State.ERROR && simulation.conduct().flushes();
    }

    /** Whether there is something to deliver. */
    boolean isReady() {
        return state != State.CLOSED && (hasSend() || hasReceive());
    }

    /** How much has come to its end and is not delivered. */
    int readyCount() {
        return sends.doneCount() + receives.visibleCount();
    }

    /** Delivers one, of which there must be one. @return how many that were */
    int deliver(Completion completion, CompletionHandler handler) {
        if (isSendNext()) {
            fillSend(completion);
        } else {
            fillReceive(completion);
        }
        if (completion.status != CompletionStatus.SUCCESS) {
            connection.onFailureTold();
        }
        simulation.note(this + " delivers " + completion.workRequestId + " " + completion.status);
        int count = simulation.conduct().deliveries();
        for (int i = 0; i < count; i++) {
            handler.onCompletion(completion);
        }
        return count;
    }

    /** If there are both, either; but a receive is given back unused only behind all requests. */
    private boolean isSendNext() {
        boolean isFree = hasSend() && hasReceive() && receives.ended(state == State.ERROR) != null;
        return isFree ? simulation.chance().below(2) == 0 : hasSend();
    }

    private void fillSend(Completion completion) {
        SimRequest request = sends.remove();
        if (!request.isDone()) {
            request.end(firstStatus, cause);
            firstStatus = CompletionStatus.WORK_REQUEST_FLUSHED;
        }
        fill(completion, request.request().workRequestId, request.status, request.cause);
        completion.opcode = request.opcode();
        completion.byteSize = request.request().totalByteSize();
    }

    private void fillReceive(Completion completion) {
        SimReceive receive = receives.remove();
        if (receive.status == null) {
            receive.fail(CompletionStatus.WORK_REQUEST_FLUSHED, cause);
        }
        fill(completion, receive.workRequestId, receive.status, receive.cause);
        completion.opcode = receive.opcode;
        completion.byteSize = receive.arrivedByteSize;
        completion.hasImmediate = receive.opcode == Opcode.RECEIVE_WRITE_WITH_IMMEDIATE;
        completion.immediate = receive.immediate;
    }

    private void fill(Completion completion, long workRequestId, CompletionStatus status, String cause) {
        completion.workRequestId = workRequestId;
        completion.status = status;
        completion.queuePair = this;
        completion.cause = cause;
        completion.hasImmediate = false;
        completion.immediate = 0;
    }

    /** The same in each run, so that maps of them are. */
    @Override
    public int hashCode() {
        return fabric.number() << Byte.SIZE ^ number;
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public String toString() {
        return fabric.number() + "." + number;
    }
}
