package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.WorkCompletions;

/**
 * How the device's receives become those of a queue pair: here they are the same.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
class ReceivePath {
    /** Elements before the user's. */
    int elementCount() {
        return 0;
    }

    /** Adds these to the request, which is that of the receive of that number. */
    void addTo(ReceiveRequest request, long number) {}

    /** The device has been handed so many receives since the beginning. */
    void posted(long count) {}

    /** Fills in what arrived. */
    void read(WorkCompletions found, int i, long number, Completion out) {
        out.hasImmediate = found.hasImmediate(i);
        out.immediate = out.hasImmediate ? found.immediate(i) : 0;
        out.opcode = out.hasImmediate ? Opcode.RECEIVE_WRITE_WITH_IMMEDIATE : Opcode.RECEIVE;
        out.byteSize = Integer.toUnsignedLong(found.byteSize(i));
    }
}
