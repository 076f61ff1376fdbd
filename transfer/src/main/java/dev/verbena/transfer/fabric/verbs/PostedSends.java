package dev.verbena.transfer.fabric.verbs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.verbena.transfer.spi.CompletionStatus;

/**
 * The sends of a queue pair from their post to their delivery.
 *
 * <pre>
 *   delivered &lt;= completed &lt;= handed &lt;= posted &lt;= delivered + depth
 *   handed: given to the device; completed: over, as far as the device has said
 * </pre>
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class PostedSends {
    /** Of the queue pair in its connection. */
    private final int index;
    private final SendPath path;
    /** Of the requests that are outstanding, by number. */
    private final SendSlot[] slots;
    private long posted;
    private long handed;
    private long completed;
    private long delivered;

    PostedSends(int index, int depth, SendPath path) {
        this.index = index;
        this.path = path;
        slots = new SendSlot[depth];
        Arrays.setAll(slots, i -> new SendSlot());
    }

    // ---- posting ----

    /** The number of the next one. */
    long posted() {
        return posted;
    }

    /** The first number for which there is no room. */
    long end() {
        return delivered + slots.length;
    }

    SendSlot slot(long number) {
        return slots[(int) number & slots.length - 1];
    }

    /** All before that number are posted. */
    void postedBefore(long number) {
        posted = number;
    }

    /** So many more are given to the device. */
    void handed(int count) {
        handed += count;
    }

    // ---- what the device says ----

    long number(int lowBits) {
        return completed + (lowBits - (int) completed);
    }

    /** It is over, and all before it. */
    void completed(long number) {
        completed = Math.max(completed, number + 1);
    }

    /** The device will say nothing more. */
    void giveUp() {
        completed = handed;
    }

    boolean isUnderWay() {
        return completed != handed;
    }

    // ---- delivering ----

    boolean isAnyUndelivered() {
        return delivered != posted;
    }

    /** Whether the next one is over, or was never handed to the device. */
    boolean isNextOver() {
        return isAnyUndelivered() && (delivered < completed || delivered >= handed);
    }

    /** The first of which it is not known that the peer has it. */
    long next() {
        return delivered;
    }

    void deliveredBefore(long number) {
        delivered = number;
    }

    // ---- those on their way ----

    /** The last one handed to the device. */
    long last() {
        return handed - 1;
    }

    FailedRequest describe(long number, CompletionStatus status) {
        SendSlot slot = slot(number);
        return new FailedRequest(index, status, slot.opcode, slot.byteSize, slot.remoteAddress, slot.rkey);
    }

    /** All that the device was given and nobody knows to be done. */
    List<Suspects.Suspect> suspects() {
        List<Suspects.Suspect> all = new ArrayList<>();
        for (long i = delivered; i < path.nextToDevice(); i++) {
            all.add(new Suspects.Suspect(describe(i, CompletionStatus.WORK_REQUEST_FLUSHED), path.messageNumber(i)));
        }
        return all;
    }

    /** The first that waits for the peer to post a receive, as far as is known here; -1 if none. */
    long firstThatConsumesReceive() {
        if (!path.isTold()) {
            return path.awaitingReceive();
        }
        for (long i = completed; i < handed; i++) {
            if (slot(i).opcode.consumesReceive()) {
                return i;
            }
        }
        return -1;
    }
}
