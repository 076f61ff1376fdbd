package dev.verbena.testing.sim;

import java.util.List;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * What is wrong in itself with what a caller gives a fabric. Written down again and not taken from the fabrics that ship: what is
 * forgotten there shall be missed here.
 *
 * @param memory whose regions alone may be named
 * @param elementCountMax of a request
 * @param readElementCountMax of a read
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record RequestRules(SimMemory memory, int elementCountMax, int readElementCountMax, boolean hasAtomics) {
    static final int DEPTH_MAX = 4096;
    private static final int QUEUE_PAIRS_MAX = 256;

    static RequestRules of(SimFabric fabric, QueuePairOptions options) {
        Capabilities capabilities = fabric.capabilities();
        return new RequestRules(fabric.memory(), options.elementCountMax(),
                Math.min(options.elementCountMax(), capabilities.readElementCountMax()), capabilities.hasAtomics());
    }

    /** @throws IllegalArgumentException if queue pairs cannot be made so */
    static void check(List<QueuePairOptions> queuePairs, SimFabric fabric) {
        require(!queuePairs.isEmpty() && queuePairs.size() <= QUEUE_PAIRS_MAX,
                "queuePairs=" + queuePairs.size() + " is not in 1.." + QUEUE_PAIRS_MAX);
        int elementCountMax = fabric.capabilities().elementCountMax();
        for (QueuePairOptions options : queuePairs) {
            checkDepth("sendDepth", options.sendDepth());
            checkDepth("receiveDepth", options.receiveDepth());
            require(options.receiverNotReadyTimeoutNs() >= 0,
                    "receiverNotReadyTimeoutNs=" + options.receiverNotReadyTimeoutNs() + " is negative");
            require(options.elementCountMax() >= 1 && options.elementCountMax() <= elementCountMax,
                    "elementCountMax=" + options.elementCountMax() + " is not in 1.." + elementCountMax);
            require(options.inlineByteSizeMax() >= 0, "inlineByteSizeMax=" + options.inlineByteSizeMax()
                    + " is negative");
            require(options.completionQueue() instanceof SimCompletionQueue queue && queue.isUsable(fabric),
                    "completionQueue=" + options.completionQueue() + " was not made by this fabric, or is closed");
        }
    }

    private static void checkDepth(String name, int depth) {
        require(depth >= 1 && depth <= DEPTH_MAX && Integer.bitCount(depth) == 1,
                name + "=" + depth + " is not a power of two in 1.." + DEPTH_MAX);
    }

    /** @throws IllegalArgumentException if the request cannot be posted, to whomever */
    void check(WorkRequest request) {
        Opcode opcode = request.opcode;
        String whose = "; workRequestId=" + request.workRequestId;
        require(opcode != null && opcode != Opcode.RECEIVE && opcode != Opcode.RECEIVE_WRITE_WITH_IMMEDIATE,
                "opcode=" + opcode + " cannot be posted" + whose);
        int countMax = opcode == Opcode.READ ? readElementCountMax : elementCountMax;
        require(request.elementCount >= 0 && request.elementCount <= countMax,
                "elementCount=" + request.elementCount + " is not in 0.." + countMax + " of a " + opcode + whose);
        require(hasAtomics || !opcode.isAtomic(), opcode + " cannot be posted: the fabric has no atomics" + whose);
        for (int i = 0; i < request.elementCount; i++) {
            require(request.byteSize[i] >= 0 && isOwn(request.region[i]), "element " + i + " byteSize="
                    + request.byteSize[i] + " region=" + request.region[i] + " is not a part of a region of this fabric"
                    + whose);
        }
        require(!opcode.isAtomic() || request.elementCount == 1 && request.byteSize[0] == Long.BYTES,
                opcode + " needs one element of 8 bytes for the old value" + whose);
    }

    /** @throws IllegalArgumentException if a receive cannot be posted so */
    void checkReceive(long workRequestId, MemoryRegion region, long byteSize) {
        require(byteSize >= 0 && (region == null ? byteSize == 0 : isOwn(region)), "receive byteSize=" + byteSize
                + " region=" + region + " is not a part of a region of this fabric; workRequestId=" + workRequestId);
    }

    private boolean isOwn(MemoryRegion region) {
        return region instanceof SimRegion own && own.home() == memory;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** The right that a peer's region needs for it; null if it needs none. */
    static AccessRight remoteRight(Opcode opcode) {
        return switch (opcode) {
            case WRITE, WRITE_WITH_IMMEDIATE -> AccessRight.REMOTE_WRITE;
            case READ -> AccessRight.REMOTE_READ;
            case COMPARE_AND_SWAP, FETCH_AND_ADD -> AccessRight.REMOTE_ATOMIC;
            default -> null;
        };
    }
}
