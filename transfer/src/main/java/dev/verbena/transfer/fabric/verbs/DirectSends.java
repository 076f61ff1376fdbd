package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.spi.WorkRequest;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SendRequests;

/** Each request is one of the device, which can all that is asked of it: InfiniBand, RoCE. */
final class DirectSends extends SendPath {
    private static final int CHUNK = 64;

    private final QueuePair pair;
    private final int queueIndex;
    private final int inlineByteSizeMax;
    private final SendRequests sends;
    private long next;

    DirectSends(QueuePair pair, int queueIndex, int depth, int elementCountMax, int inlineByteSizeMax) {
        this.pair = pair;
        this.queueIndex = queueIndex;
        this.inlineByteSizeMax = inlineByteSizeMax;
        sends = new SendRequests(Math.min(depth, CHUNK), elementCountMax, inlineByteSizeMax);
    }

    @Override
    int capacity() {
        return sends.capacity();
    }

    @Override
    void write(int i, WorkRequest request, long number, long byteSize, boolean isReported) {
        SendRequest native_ = sends.get(i);
        SendRequestWriter.write(native_, VerbsCompletionQueue.workRequestId(queueIndex, false, number), request,
                byteSize,
                inlineByteSizeMax);
        if (isReported) {
            native_.signaled();
        }
    }

    @Override
    int hand(int count) {
        int taken = pair.post(sends, 0, count);
        next += taken;
        return taken;
    }

    /** By a write of nothing behind it. */
    @Override
    boolean report(long number) {
        sends.get(0).write(VerbsCompletionQueue.workRequestId(queueIndex, false, number), 0, 0).signaled();
        return pair.post(sends, 0, 1) == 1;
    }

    @Override
    boolean isTold() {
        return true;
    }

    @Override
    long nextToDevice() {
        return next;
    }
}
