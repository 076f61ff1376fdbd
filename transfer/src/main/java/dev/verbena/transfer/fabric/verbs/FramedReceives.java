package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.verbs.ReceiveRequest;
import dev.verbena.verbs.WorkCompletions;

/** What arrives has a header, which lands in memory of the fabric; and the peer sends only what it has heard to be expected. */
final class FramedReceives extends ReceivePath {
    private final FrameMemory memory;
    private final FramedSends sends;

    FramedReceives(FrameMemory memory, FramedSends sends) {
        this.memory = memory;
        this.sends = sends;
    }

    @Override
    int elementCount() {
        return 1;
    }

    @Override
    void addTo(ReceiveRequest request, long number) {
        request.element(memory.own(), memory.arriving(number), MessageHeader.BYTE_SIZE);
    }

    @Override
    void posted(long count) {
        memory.tellPosted(count);
    }

    @Override
    void read(WorkCompletions found, int i, long number, Completion out) {
        long header = memory.arriving(number);
        MessageHeader.read(memory.memory(), header, Integer.toUnsignedLong(found.byteSize(i)), out);
        sends.hear(MessageHeader.credit(memory.memory(), header));
    }
}
