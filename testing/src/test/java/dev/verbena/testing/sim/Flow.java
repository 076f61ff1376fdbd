package dev.verbena.testing.sim;

import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Random;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * What one end of a queue pair was given, and what must come of it. It alone writes an area in the peer's memory: each write all of it,
 * all words with the number of the write.
 */
final class Flow {
    static final int WORDS = 8;
    static final int BYTE_SIZE = WORDS * Long.BYTES;
    static final int DEPTH = 8;
    /** Of memory that is nobody's at present. */
    static final long NOBODYS = -1;

    private record Sent(long id, Opcode opcode, boolean signaled, boolean isWrong, int slot, long number) {}

    private record Posted(long id, int slot) {}

    final TrafficSide side;
    final SimConnection connection;
    final QueuePair queuePair;
    final int index;
    private final Deque<Sent> sent = new ArrayDeque<>();
    private final Deque<Posted> receives = new ArrayDeque<>();
    private final BitSet usedSlots = new BitSet();
    private long nextId = 1;
    private long writes;
    private long messages;
    private long messagesReceived;
    private long lastImmediate;
    private boolean hasFailedSend;
    private boolean hasFailedReceive;
    private boolean isClosed;

    Flow(TrafficSide side, SimConnection connection, QueuePair queuePair, int index) {
        this.side = side;
        this.connection = connection;
        this.queuePair = queuePair;
        this.index = index;
        for (int slot = 0; slot < TrafficSide.SLOT_COUNT; slot++) {
            fill(slot, NOBODYS);
        }
    }

    private Flow peer() {
        return side.traffic.flow(queuePairOf(connection.peer()));
    }

    private QueuePair queuePairOf(SimConnection other) {
        return other.queuePair(connection.queuePairs().indexOf(queuePair));
    }

    // ---- memory ----

    private long slotOffset(int slot) {
        return TrafficSide.slotOffset(index, slot);
    }

    private void fill(int slot, long value) {
        for (int i = 0; i < WORDS; i++) {
            side.region.memory().set(JAVA_LONG, slotOffset(slot) + i * Long.BYTES, value);
        }
    }

    private void assertFilled(int slot, long value, String what) {
        for (int i = 0; i < WORDS; i++) {
            long word = side.region.memory().get(JAVA_LONG, slotOffset(slot) + i * Long.BYTES);
            check(word == value, what + ": word " + i + " is " + word + ", should be " + value);
        }
    }

    private int takeSlot() {
        int slot = usedSlots.nextClearBit(0);
        usedSlots.set(slot);
        return slot;
    }

    private void giveBack(int slot) {
        fill(slot, NOBODYS);
        usedSlots.clear(slot);
    }

    /** The words here that the peer's end writes: none but its own numbers, and as a whole where that is promised. */
    void checkArea() {
        Flow writer = peer();
        if (writer != null) {
            checkArea(0);
            if (side.fabric.capabilities().writesInOrder()) {
                checkArea(word(writer, WORDS - 1));
            }
        }
    }

    private void checkArea(long min) {
        Flow writer = peer();
        for (int i = 0; i < WORDS; i++) {
            long word = word(writer, i);
            check(word >= min && word <= writer.writes,
                    "area: word " + i + " is " + word + ", should be in " + min + ".." + writer.writes);
        }
    }

    private long word(Flow writer, int i) {
        return side.region.memory().get(JAVA_LONG, TrafficSide.areaOffset(writer.index) + i * Long.BYTES);
    }

    /** What is nobody's, nobody has touched. */
    void checkFreeSlots() {
        for (int slot = usedSlots.nextClearBit(0); slot < TrafficSide.SLOT_COUNT; slot = usedSlots
                .nextClearBit(slot + 1)) {
            assertFilled(slot, NOBODYS, "free slot " + slot);
        }
    }

    // ---- posting ----

    boolean isUsable() {
        return !isClosed && queuePair.state() != QueuePair.State.CLOSED;
    }

    void post(Random random) {
        int listed = 1 + random.nextInt(4);
        Sent[] wanted = new Sent[listed];
        WorkRequest head = null;
        WorkRequest last = null;
        for (int i = 0; i < listed; i++) {
            wanted[i] = draw(random);
            WorkRequest request = request(wanted[i]);
            if (last == null) {
                head = request;
            } else {
                last.next = request;
            }
            last = request;
        }
        int count = queuePair.post(head);
        check(count >= 0 && count <= listed, "posted " + count + " of " + listed);
        check(count > 0 || !sent.isEmpty(), "nothing was posted to an idle queue pair");
        for (int i = 0; i < count; i++) {
            sent.addLast(wanted[i]);
        }
        for (int i = listed - 1; i >= count; i--) {
            takeBack(wanted[i]);
        }
    }

    private Sent draw(Random random) {
        Opcode opcode = switch (random.nextInt(8)) {
            case 0, 1, 2 -> Opcode.WRITE;
            case 3 -> Opcode.WRITE_WITH_IMMEDIATE;
            case 4, 5 -> Opcode.SEND;
            case 6 -> Opcode.READ;
            default -> side.fabric.capabilities().hasAtomics() ? Opcode.FETCH_AND_ADD : Opcode.READ;
        };
        boolean isWrong = random.nextInt(100) == 0 && opcode != Opcode.SEND;
        long number = isWrite(opcode) ? ++writes : opcode == Opcode.SEND ? ++messages : writes;
        // With so many that nobody may ever hear of, somebody must.
        boolean signaled = random.nextInt(3) > 0 || sent.size() >= DEPTH;
        Sent drawn = new Sent(nextId++, opcode, signaled, isWrong, takeSlot(), number);
        fill(drawn.slot, number);
        return drawn;
    }

    /** It was not posted: the next one gets its number. */
    private void takeBack(Sent drawn) {
        writes -= isWrite(drawn.opcode) ? 1 : 0;
        messages -= drawn.opcode == Opcode.SEND ? 1 : 0;
        nextId--;
        giveBack(drawn.slot);
    }

    private static boolean isWrite(Opcode opcode) {
        return opcode == Opcode.WRITE || opcode == Opcode.WRITE_WITH_IMMEDIATE;
    }

    private WorkRequest request(Sent drawn) {
        TrafficSide other = side.traffic.side(connection.peer());
        long byteSize = drawn.opcode.isAtomic() ? Long.BYTES : BYTE_SIZE;
        boolean isWhole = drawn.opcode.isAtomic() || side.fabric.capabilities().readElementCountMax() == 1;
        long first = isWhole ? byteSize : byteSize / 2;
        WorkRequest request = new WorkRequest(2).reset(drawn.id, drawn.opcode).element(side.region,
                slotOffset(drawn.slot), first);
        if (!isWhole) {
            request.element(side.region, slotOffset(drawn.slot) + first, byteSize - first);
        }
        request.compareOrAdd = 1;
        request.signaled = drawn.signaled;
        request.immediate = (int) drawn.number;
        long offset = drawn.opcode.isAtomic() ? TrafficSide.COUNTER_OFFSET : TrafficSide.areaOffset(index);
        return request.remote(other.region.address() + offset, other.region.rkey() + (drawn.isWrong ? 1 : 0));
    }

    void postReceive() {
        int slot = takeSlot();
        Posted receive = new Posted(nextId++, slot);
        if (queuePair.postReceive(receive.id, side.region, slotOffset(slot), BYTE_SIZE)) {
            receives.addLast(receive);
        } else {
            check(receives.size() == DEPTH, "a receive was refused beside " + receives.size());
            giveBack(slot);
        }
    }

    // ---- completions ----

    void onCompletion(Completion done) {
        check(!isClosed, "completion " + done.workRequestId + " after close");
        boolean isReceive = !receives.isEmpty() && receives.peekFirst().id == done.workRequestId;
        if (isReceive) {
            onReceive(receives.removeFirst(), done);
        } else {
            onSent(done);
        }
    }

    private void onReceive(Posted receive, Completion done) {
        if (done.status == SUCCESS) {
            check(!hasFailedReceive, "success behind a failure");
            if (done.opcode == Opcode.RECEIVE) {
                assertFilled(receive.slot, ++messagesReceived, "message");
            } else {
                check(done.hasImmediate && done.immediate > lastImmediate, "immediate " + done.immediate + " after "
                        + lastImmediate);
                lastImmediate = done.immediate;
                checkArea(done.immediate);
            }
        } else {
            hasFailedReceive = true;
            check(done.cause != null && !done.cause.isBlank(), "no cause");
        }
        giveBack(receive.slot);
    }

    private void onSent(Completion done) {
        check(sent.stream().anyMatch(each -> each.id == done.workRequestId),
                "completion of " + done.workRequestId + ", which is not outstanding");
        while (sent.peekFirst().id != done.workRequestId) {
            Sent silent = sent.removeFirst();
            check(!silent.signaled && done.status == SUCCESS || !silent.signaled && !hasFailedSend,
                    silent + " was not reported before " + done.workRequestId);
            giveBack(silent.slot);
        }
        Sent ended = sent.removeFirst();
        if (done.status == SUCCESS) {
            check(!hasFailedSend && ended.signaled && !ended.isWrong, "success of " + ended);
            onSuccess(ended);
        } else {
            check(!hasFailedSend || done.status == WORK_REQUEST_FLUSHED, "a second failure, " + done.status);
            check(done.cause != null && !done.cause.isBlank(), "no cause");
            hasFailedSend = true;
        }
        giveBack(ended.slot);
    }

    private void onSuccess(Sent ended) {
        if (isWrite(ended.opcode) && peer() != null && peer().side.isAlive()) {
            peer().checkArea(ended.number);
        } else if (ended.opcode == Opcode.READ) {
            assertFilled(ended.slot, ended.number, "read");
        } else if (ended.opcode.isAtomic()) {
            long old = side.region.memory().get(JAVA_LONG, slotOffset(ended.slot));
            side.traffic.side(connection.peer()).onFetched(old);
        }
    }

    // ---- ends ----

    void close() {
        isClosed = true;
    }

    /** Whether nothing is to be expected any more. */
    boolean isSettled() {
        if (!isUsable() || !side.isAlive()) {
            return true;
        }
        boolean hasFailed = queuePair.state() == QueuePair.State.ERROR;
        // Of what succeeds without a word nobody hears, not even when others behind it fail.
        return sent.stream().noneMatch(each -> each.signaled || each.isWrong)
                && (hasFailed ? receives.isEmpty() : isPeerReady());
    }

    private boolean isPeerReady() {
        return queuePairOf(connection.peer()).state() == QueuePair.State.READY;
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(this + ": " + otherwise);
        }
    }

    @Override
    public String toString() {
        return "queue pair " + queuePair + " " + queuePair.state() + " sent=" + sent + " receives=" + receives;
    }
}
