package dev.verbena.transfer.fabric;

import java.util.List;
import java.util.function.Predicate;

import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Says what is wrong in itself with what a caller gives a fabric, whatever the peer would say to it.
 *
 * @param fabric whose regions alone may be named
 * @param elementCountMax of a request
 * @param readElementCountMax of a read
 * @param hasAtomics whether the fabric has compare-and-swap and fetch-and-add
 * @param depthMax of a send or receive queue
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record RequestCheck(Fabric fabric, int elementCountMax, int readElementCountMax,
        boolean hasAtomics, int depthMax) {
    private static final int QUEUE_PAIRS_MAX = 256;

    /** Of one queue pair, which the options have been checked for. */
    public RequestCheck of(QueuePairOptions options) {
        return new RequestCheck(fabric, options.elementCountMax(),
                Math.min(readElementCountMax, options.elementCountMax()), hasAtomics, depthMax);
    }

    /** @throws IllegalArgumentException if the request cannot be posted, to whomever */
    public void check(WorkRequest request) {
        Opcode opcode = request.opcode;
        if (opcode == null || opcode == Opcode.RECEIVE || opcode == Opcode.RECEIVE_WRITE_WITH_IMMEDIATE) {
            throw refused(request, "opcode=" + opcode + " cannot be posted");
        }
        int count = request.elementCount;
        if (count < 0 || count > elementCountMax || count > request.region.length) {
            throw refused(request, "elementCount=" + count + " is not in 0.." + Math.min(request.region.length,
                    elementCountMax));
        }
        if (count == 1) {
            checkElement(request, 0);
        } else {
            checkElements(request);
        }
        if (opcode.isAtomic()) {
            checkAtomic(request);
        }
    }

    private void checkElements(WorkRequest request) {
        int count = request.elementCount;
        if (request.opcode == Opcode.READ && count > readElementCountMax) {
            throw refused(request, "elementCount=" + count + " of a READ is not in 0.." + readElementCountMax
                    + "; post several");
        }
        for (int i = 0; i < count; i++) {
            checkElement(request, i);
        }
    }

    private void checkAtomic(WorkRequest request) {
        if (!hasAtomics) {
            throw refused(request, request.opcode + " cannot be posted: the fabric has no atomics");
        }
        if (request.elementCount != 1 || request.byteSize[0] != Long.BYTES) {
            throw refused(request, request.opcode + " needs one element of 8 bytes for the old value; elementCount="
                    + request.elementCount);
        }
    }

    /** Apart, so that for the most common, one, no loop is made: the compiler spends more on it than on the element. */
    private void checkElement(WorkRequest request, int i) {
        if (request.byteSize[i] < 0 || !isOwn(request.region[i])) {
            throw refused(request, "element " + i + " byteSize=" + request.byteSize[i] + " region=" + request.region[i]
                    + " is not a part of a region of this fabric");
        }
    }

    private static IllegalArgumentException refused(WorkRequest request, String why) {
        return new IllegalArgumentException(why + "; workRequestId=" + request.workRequestId);
    }

    /** @throws IllegalArgumentException if a receive cannot be posted so */
    public void checkReceive(long workRequestId, MemoryRegion region, long byteSize) {
        if (byteSize < 0 || (region == null ? byteSize != 0 : !isOwn(region))) {
            throw new IllegalArgumentException("receive byteSize=" + byteSize + " region=" + region
                    + " is not a part of a region of this fabric; workRequestId=" + workRequestId);
        }
    }

    private boolean isOwn(MemoryRegion region) {
        return region instanceof CheckedRegion checked && checked.isOf(fabric);
    }

    /**
     * @param isUsable whether a completion queue is of the fabric and open
     * @throws IllegalArgumentException if queue pairs cannot be made so
     */
    public void check(List<QueuePairOptions> queuePairs, Predicate<CompletionQueue> isUsable) {
        if (queuePairs.isEmpty() || queuePairs.size() > QUEUE_PAIRS_MAX) {
            throw new IllegalArgumentException(
                    "queuePairs=" + queuePairs.size() + " is not in 1.." + QUEUE_PAIRS_MAX);
        }
        for (QueuePairOptions options : queuePairs) {
            checkDepth("sendDepth", options.sendDepth());
            checkDepth("receiveDepth", options.receiveDepth());
            if (options.receiverNotReadyTimeoutNs() < 0) {
                throw new IllegalArgumentException("receiverNotReadyTimeoutNs=" + options.receiverNotReadyTimeoutNs()
                        + " is negative; 0 does not wait, Long.MAX_VALUE waits for ever");
            }
            if (options.elementCountMax() < 1 || options.elementCountMax() > elementCountMax) {
                throw new IllegalArgumentException("elementCountMax=" + options.elementCountMax() + " is not in 1.."
                        + elementCountMax);
            }
            if (options.inlineByteSizeMax() < 0) {
                throw new IllegalArgumentException("inlineByteSizeMax=" + options.inlineByteSizeMax()
                        + " is negative; 0 puts no payload into its request");
            }
            if (!isUsable.test(options.completionQueue())) {
                throw new IllegalArgumentException("completionQueue=" + options.completionQueue()
                        + " was not made by this fabric, or is closed");
            }
        }
    }

    private void checkDepth(String name, int depth) {
        if (depth < 1 || depth > depthMax || Integer.bitCount(depth) != 1) {
            throw new IllegalArgumentException(name + "=" + depth + " is not a power of two in 1.." + depthMax);
        }
    }
}
