package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * What must be known of a posted request until it is delivered.
 *
 * <p>One of a prepared list is of all posts of that list, and does not change.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class SendSlot {
    static final int UNLISTED = -1;

    /** Where in its prepared list the request is. */
    final int listIndex;
    long workRequestId;
    Opcode opcode;
    boolean isSignaled;
    long byteSize;
    long remoteAddress;
    int rkey;

    SendSlot(int listIndex) {
        this.listIndex = listIndex;
    }

    void fill(WorkRequest request) {
        workRequestId = request.workRequestId;
        opcode = request.opcode;
        isSignaled = request.signaled;
        byteSize = request.totalByteSize();
        remoteAddress = request.remoteAddress;
        rkey = request.rkey;
    }
}
