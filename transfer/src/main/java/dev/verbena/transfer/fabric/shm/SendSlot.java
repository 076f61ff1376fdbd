package dev.verbena.transfer.fabric.shm;

import dev.verbena.transfer.fabric.shm.RemoteRegions.RemoteRegion;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * A posted request, copied out of the caller's {@link WorkRequest}, and how far it has got.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class SendSlot {
    /** No receive of the peer is claimed. */
    static final long NO_CLAIM = -1;

    // As posted.
    long workRequestId;
    Opcode opcode;
    boolean isSignaled;
    int elementCount;
    final ShmMemoryRegion[] region = new ShmMemoryRegion[ShmFabric.ELEMENT_COUNT_MAX];
    final long[] offset = new long[ShmFabric.ELEMENT_COUNT_MAX];
    final long[] elementByteSize = new long[ShmFabric.ELEMENT_COUNT_MAX];
    long remoteAddress;
    long rkey;
    int immediate;
    long compareOrAdd;
    long swap;

    // Progress.
    boolean isStarted;
    long byteSize;
    /** Bytes copied, and where that is among the elements. */
    long done;
    int element;
    long elementDone;
    RemoteRegion target;
    long targetOffset;
    long claim;
    boolean isStarved;
    long starvedSinceNs;

    // Outcome.
    CompletionStatus status;
    String cause;

    void fill(WorkRequest request) {
        workRequestId = request.workRequestId;
        opcode = request.opcode;
        isSignaled = request.signaled;
        elementCount = request.elementCount;
        for (int i = 0; i < elementCount; i++) {
            region[i] = (ShmMemoryRegion) request.region[i];
            offset[i] = request.offset[i];
            elementByteSize[i] = request.byteSize[i];
        }
        remoteAddress = request.remoteAddress;
        rkey = request.rkey;
        immediate = request.immediate;
        compareOrAdd = request.compareOrAdd;
        swap = request.swap;
        isStarted = false;
        byteSize = 0;
        done = 0;
        element = 0;
        elementDone = 0;
        claim = NO_CLAIM;
        isStarved = false;
        status = CompletionStatus.SUCCESS;
        cause = null;
    }

    /** Drops what would keep regions alive. */
    void clear() {
        for (int i = 0; i < elementCount; i++) {
            region[i] = null;
        }
        target = null;
    }

    boolean isAtomic() {
        return opcode.isAtomic();
    }

    /** Whether the elements are written by the request. */
    boolean scatters() {
        return opcode == Opcode.READ || isAtomic();
    }
}
