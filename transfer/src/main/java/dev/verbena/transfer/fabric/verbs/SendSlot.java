package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * What must be known of a posted request until it is delivered.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class SendSlot {
    long workRequestId;
    Opcode opcode;
    boolean isSignaled;
    long byteSize;
    long remoteAddress;
    int rkey;

    void fill(WorkRequest request) {
        workRequestId = request.workRequestId;
        opcode = request.opcode;
        isSignaled = request.signaled;
        byteSize = request.totalByteSize();
        remoteAddress = request.remoteAddress;
        rkey = (int) request.rkey;
    }
}
