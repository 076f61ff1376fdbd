package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Finds what the device would refuse in a request, or take in spite of what the fabric promises.
 *
 * <p>Threading: immutable.
 */
final class RequestFaults {
    /** With which status the request fails, and the reason in words. */
    record Fault(CompletionStatus status, String what) {}

    private final long messageByteSizeMax;

    RequestFaults(VerbsFabric fabric) {
        messageByteSizeMax = fabric.capabilities().messageByteSizeMax();
    }

    /**
     * Null if nothing is wrong.
     *
     * @param byteSize of all elements
     */
    Fault find(WorkRequest request, long byteSize) {
        if (byteSize > messageByteSizeMax || byteSize < 0) {
            return new Fault(CompletionStatus.LOCAL_LENGTH_ERROR,
                    "a message of " + byteSize + " bytes exceeds messageByteSizeMax=" + messageByteSizeMax);
        }
        if (request.rkey >>> Integer.SIZE != 0 && request.opcode != Opcode.SEND) {
            return new Fault(CompletionStatus.REMOTE_ACCESS_ERROR,
                    "no RDMA device gives a key such as rkey=" + Long.toUnsignedString(request.rkey));
        }
        boolean isAtomic = request.opcode.isAtomic();
        String refusal = refusal(request, isAtomic || request.opcode == Opcode.READ ? Rights.LOCAL_WRITE : 0);
        if (refusal != null) {
            return new Fault(CompletionStatus.LOCAL_PROTECTION_ERROR, refusal);
        }
        return isAtomic && (request.remoteAddress & Long.BYTES - 1) != 0
                ? new Fault(CompletionStatus.REMOTE_INVALID_REQUEST, "the address of an atomic must be 8-byte aligned")
                : null;
    }

    /** Why an element may not be used with that right, or null. */
    private String refusal(WorkRequest request, int right) {
        if (request.elementCount == 1) {
            return refusal(request, 0, right);
        }
        String refusal = null;
        for (int i = 0; i < request.elementCount && refusal == null; i++) {
            refusal = refusal(request, i, right);
        }
        return refusal;
    }

    private String refusal(WorkRequest request, int i, int right) {
        return ((VerbsRegion) request.region[i]).refusal(request.offset[i], request.byteSize[i], right);
    }
}
