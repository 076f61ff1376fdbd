package dev.verbena.testing;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;

/** A completion that outlives its flyweight. */
record Done(long id, CompletionStatus status, Opcode opcode, QueuePair queuePair, long byteSize, boolean hasImmediate,
        int immediate, String cause) {
    static Done of(Completion completion) {
        return new Done(completion.workRequestId, completion.status, completion.opcode, completion.queuePair,
                completion.byteSize, completion.hasImmediate, completion.immediate, completion.cause);
    }
}
