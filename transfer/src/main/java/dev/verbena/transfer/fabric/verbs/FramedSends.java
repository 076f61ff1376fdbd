package dev.verbena.transfer.fabric.verbs;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SendRequests;

/**
 * Makes up for what iWARP (RFC 5040) lacks. Each request is up to three of the device:
 *
 * <pre>
 *   WRITE                  write                          [+ confirming read]
 *   READ                   read, which confirms itself
 *   SEND                   send of header and payload     [+ confirming read]
 *   WRITE_WITH_IMMEDIATE   write, send of a header        [+ confirming read]
 * </pre>
 *
 * <p>The device reports what was sent, not what arrived. Behind each request that is to be reported goes a read of a word of the
 * peer's memory: the peer's device carries out in order what comes over a connection (§5.5), so when the word is here, all before it
 * has arrived. The word says how many receives the peer has posted.
 *
 * <p>A message for which no receive is posted would break the connection. So it waits here, and all behind it, until a message of the
 * peer's says that there is one, or the word, which is asked for now and then: the peer's processor takes no part in that.
 *
 * <pre>
 *   next &lt;= end &lt;= next + depth
 *   next: the first that was not given to the device; end: the next to be written
 * </pre>
 */
final class FramedSends extends SendPath {
    /** Of the device, for one of the user. */
    static final int REQUESTS_EACH = 3;
    /** The one that asks, and the read that confirms what was not to be reported. */
    static final int REQUESTS_MORE = 2;

    private static final int CHUNK = 32;
    /** As long as a sender waits on InfiniBand before it tries again. */
    private static final long ASK_AGAIN_NS = TimeUnit.MICROSECONDS.toNanos(640);
    private static final long NONE = -1;

    private final QueuePair pair;
    private final int queueIndex;
    private final int inlineByteSizeMax;
    private final FrameMemory memory;
    private final SendRequests sends;
    private int filled;

    private final WorkRequest[] requests;
    private final long[] byteSizes;
    private final boolean[] areReported;
    private final int[] messageNumbers;
    private long next;
    private long end;

    private final ReceiveCredit credit = new ReceiveCredit();
    private CreditAddress peer = CreditAddress.NONE;
    private boolean isStopped;
    private boolean isAsking;
    private long askedNs;
    /** The request that waited when the peer was asked: an older answer says nothing of a younger one. */
    private long askedFor = NONE;
    /** The request of which the peer said that it has posted no receive for it. */
    private long denied = NONE;

    FramedSends(QueuePair pair, int queueIndex, int depth, int elementCountMax, int inlineByteSizeMax,
            FrameMemory memory) {
        this.pair = pair;
        this.queueIndex = queueIndex;
        this.inlineByteSizeMax = inlineByteSizeMax;
        this.memory = memory;
        sends = new SendRequests(CHUNK, elementCountMax + 1, inlineByteSizeMax);
        requests = new WorkRequest[depth];
        Arrays.setAll(requests, i -> new WorkRequest(elementCountMax));
        byteSizes = new long[depth];
        areReported = new boolean[depth];
        messageNumbers = new int[depth];
    }

    // ---- what the queue pair asks for ----

    @Override
    int capacity() {
        return requests.length;
    }

    @Override
    void write(int i, WorkRequest request, long number, long byteSize, boolean isReported) {
        int slot = slot(number);
        requests[slot].set(request);
        byteSizes[slot] = byteSize;
        areReported[slot] = isReported;
    }

    @Override
    int hand(int count) {
        end += count;
        advance();
        return count;
    }

    @Override
    boolean report(long number) {
        if (number >= next) {
            areReported[slot(number)] = true;
        } else {
            confirm(number);
            give();
        }
        return true;
    }

    @Override
    boolean takes(long workRequestId) {
        boolean isAnswer = VerbsCompletionQueue.isOwn(workRequestId);
        credit.hear(memory.word(isAnswer ? FrameMemory.ASKED : memory.confirming((int) workRequestId)));
        if (isAnswer) {
            isAsking = false;
            denied = next != end && next == askedFor && !mayGo() ? next : NONE;
        }
        advance();
        return isAnswer;
    }

    @Override
    boolean isTold() {
        return false;
    }

    @Override
    long nextToDevice() {
        return next;
    }

    @Override
    long awaitingReceive() {
        return denied == next && next != end ? next : NONE;
    }

    @Override
    boolean isAwaitingReceive() {
        return next != end;
    }

    /** What waits for an answer goes when that has come and somebody polls. */
    @Override
    long idleNsMax() {
        return isStopped || next == end ? Long.MAX_VALUE : isAsking ? 0 : ASK_AGAIN_NS;
    }

    @Override
    void askAgain(long nowNs) {
        if (!isStopped && next != end && !isAsking && nowNs - askedNs >= ASK_AGAIN_NS) {
            ask();
        }
    }

    @Override
    int messageNumber(long number) {
        return messageNumbers[slot(number)];
    }

    @Override
    void meet(CreditAddress peer) {
        this.peer = peer;
    }

    @Override
    CreditAddress address() {
        return memory.creditAddress();
    }

    /** Who connects sends first (RFC 5044); and what may be sent is known the sooner. */
    @Override
    void begin() {
        ask();
    }

    @Override
    void stop() {
        isStopped = true;
    }

    @Override
    void close() {
        memory.close();
    }

    /** A message that came said so of the peer's receives. */
    void hear(long word) {
        credit.hear(word);
        advance();
    }

    // ---- what the device is given ----

    private int slot(long number) {
        return (int) number & requests.length - 1;
    }

    /** Whether the next one need not wait for a receive. */
    private boolean mayGo() {
        return !requests[slot(next)].opcode.consumesReceive() || credit.isAvailable();
    }

    private void advance() {
        if (isStopped) {
            return;
        }
        while (next != end && mayGo()) {
            if (filled > sends.capacity() - REQUESTS_EACH) {
                give();
            }
            write(next);
            next++;
        }
        give();
        if (next != end && !isAsking && denied != next) {
            ask();
        }
    }

    private void write(long number) {
        int slot = slot(number);
        WorkRequest request = requests[slot];
        long byteSize = byteSizes[slot];
        boolean isReported = areReported[slot];
        if (request.opcode == Opcode.READ && byteSize > 0) {
            SendRequest read = add();
            SendRequestWriter.write(read, id(number), Opcode.READ, request, byteSize, inlineByteSizeMax);
            if (isReported) {
                read.signaled();
            }
            return;
        }
        if (request.opcode != Opcode.SEND && (byteSize > 0 || request.opcode != Opcode.WRITE_WITH_IMMEDIATE)) {
            SendRequestWriter.write(add(), id(number), Opcode.WRITE, request, byteSize, inlineByteSizeMax);
        }
        if (request.opcode.consumesReceive()) {
            messageNumbers[slot] = (int) credit.use();
            writeMessage(number, request, byteSize);
        }
        if (isReported) {
            confirm(number);
        }
    }

    private void writeMessage(long number, WorkRequest request, long byteSize) {
        long header = memory.leaving(number);
        if (request.opcode == Opcode.SEND) {
            MessageHeader.writeSend(memory.memory(), header, memory.posted());
        } else {
            MessageHeader.writeImmediate(memory.memory(), header, request.immediate, byteSize, memory.posted());
        }
        SendRequest message = add().send(id(number));
        long payload = request.opcode == Opcode.SEND ? byteSize : 0;
        boolean isInline = MessageHeader.BYTE_SIZE + payload <= inlineByteSizeMax;
        if (isInline) {
            message.inline(memory.memory(), header, MessageHeader.BYTE_SIZE);
        } else {
            message.element(memory.own(), header, MessageHeader.BYTE_SIZE);
        }
        if (payload > 0) {
            SendRequestWriter.writeElements(message, request, isInline);
        }
    }

    private void confirm(long number) {
        add().read(id(number), peer.address(), peer.rkey())
                .element(memory.own(), memory.confirming(number), Long.BYTES).signaled();
    }

    private void ask() {
        isAsking = true;
        askedNs = System.nanoTime();
        askedFor = next != end ? next : NONE;
        add().read(VerbsCompletionQueue.ownId(queueIndex), peer.address(), peer.rkey())
                .element(memory.own(), FrameMemory.ASKED, Long.BYTES).signaled();
        give();
    }

    private long id(long number) {
        return VerbsCompletionQueue.workRequestId(queueIndex, false, number);
    }

    private SendRequest add() {
        return sends.get(filled++);
    }

    private void give() {
        int count = filled;
        filled = 0;
        int taken = pair.post(sends, 0, count);
        if (taken < count) {
            throw new TransferException(
                    "the device took " + taken + " of " + count + " requests: its send queue is full");
        }
    }
}
