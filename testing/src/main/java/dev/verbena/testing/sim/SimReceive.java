package dev.verbena.testing.sim;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;

/**
 * A receive in a receive queue, and what has become of it.
 *
 * <p><b>Owner:</b> its queue pair. <b>Threading:</b> confined to the simulation.
 */
final class SimReceive {
    final long workRequestId;
    /** Null if it takes no data. */
    final SimRegion region;
    final long offset;
    final long byteSize;
    /** How it ended; null while it has not. */
    CompletionStatus status;
    String cause;
    Opcode opcode = Opcode.RECEIVE;
    long arrivedByteSize;
    int immediate;
    /** Whether a poll may find it. */
    boolean isVisible;

    SimReceive(long workRequestId, SimRegion region, long offset, long byteSize) {
        this.workRequestId = workRequestId;
        this.region = region;
        this.offset = offset;
        this.byteSize = byteSize;
    }

    /** Why nothing can be received into it; null if something can. */
    String refusal() {
        return region == null ? null : region.refusal(offset, byteSize, AccessRight.LOCAL_WRITE);
    }

    boolean hasImmediate() {
        return opcode == Opcode.RECEIVE_WRITE_WITH_IMMEDIATE;
    }

    void arrive(Opcode opcode, long byteSize, int immediate) {
        this.opcode = opcode;
        arrivedByteSize = byteSize;
        this.immediate = immediate;
        status = CompletionStatus.SUCCESS;
    }

    void fail(CompletionStatus status, String cause) {
        this.status = status;
        this.cause = cause;
    }
}
