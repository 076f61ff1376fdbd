package dev.verbena.transfer.fabric.shm;

import java.util.List;

import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/** Says what is wrong in itself with what a caller gives, whatever the peer would say to it. */
final class RequestCheck {
    private RequestCheck() {}

    static void check(WorkRequest request) {
        Opcode opcode = request.opcode;
        if (opcode == null || opcode == Opcode.RECEIVE || opcode == Opcode.RECEIVE_WRITE_WITH_IMMEDIATE) {
            throw new IllegalArgumentException("opcode=" + opcode + " cannot be posted; workRequestId="
                    + request.workRequestId);
        }
        int count = request.elementCount;
        if (count < 0 || count > ShmFabric.ELEMENT_COUNT_MAX || count > request.region.length) {
            throw new IllegalArgumentException("elementCount=" + count + " is not in 0.." + Math.min(
                    request.region.length, ShmFabric.ELEMENT_COUNT_MAX) + "; workRequestId=" + request.workRequestId);
        }
        for (int i = 0; i < count; i++) {
            if (request.byteSize[i] < 0 || !(request.region[i] instanceof ShmMemoryRegion)) {
                throw new IllegalArgumentException("element " + i + " byteSize=" + request.byteSize[i] + " region="
                        + request.region[i] + " is not a part of a region of this fabric; workRequestId="
                        + request.workRequestId);
            }
        }
        if ((opcode == Opcode.COMPARE_AND_SWAP || opcode == Opcode.FETCH_AND_ADD)
                && (count != 1 || request.byteSize[0] != Long.BYTES)) {
            throw new IllegalArgumentException(opcode + " needs one element of 8 bytes for the old value; elementCount="
                    + count + " workRequestId=" + request.workRequestId);
        }
    }

    static void check(ShmFabric fabric, List<QueuePairOptions> queuePairs) {
        if (queuePairs.isEmpty() || queuePairs.size() > ShmFabric.QUEUE_PAIRS_MAX) {
            throw new IllegalArgumentException(
                    "queuePairs=" + queuePairs.size() + " is not in 1.." + ShmFabric.QUEUE_PAIRS_MAX);
        }
        for (QueuePairOptions options : queuePairs) {
            checkDepth("sendDepth", options.sendDepth());
            checkDepth("receiveDepth", options.receiveDepth());
            if (options.receiverNotReadyTimeoutNs() < 0) {
                throw new IllegalArgumentException("receiverNotReadyTimeoutNs=" + options.receiverNotReadyTimeoutNs()
                        + " is negative; 0 does not wait, Long.MAX_VALUE waits for ever");
            }
            if (!(options.completionQueue() instanceof ShmCompletionQueue queue) || !queue.isOf(fabric)) {
                throw new IllegalArgumentException("completionQueue=" + options.completionQueue()
                        + " was not made by this fabric");
            }
            if (!queue.isOpen()) {
                throw new IllegalArgumentException("completionQueue=" + queue + " is closed");
            }
        }
    }

    private static void checkDepth(String name, int depth) {
        if (depth < 1 || depth > ShmFabric.DEPTH_MAX || Integer.bitCount(depth) != 1) {
            throw new IllegalArgumentException(
                    name + "=" + depth + " is not a power of two in 1.." + ShmFabric.DEPTH_MAX);
        }
    }
}
