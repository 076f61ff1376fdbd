package dev.verbena.transfer.protocol;

import org.jctools.queues.atomic.MpmcAtomicArrayQueue;

import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;

/**
 * The memory copies that may be under way on one queue pair; made once, bounded, reused.
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.RdmaChannel}. <b>Threading:</b> thread-safe.
 */
public final class MemoryCopies {
    private final PeerConnection peer;
    private final EngineQueuePair queuePair;
    private final long messageByteSizeMax;
    private final MpmcAtomicArrayQueue<MemoryCopy> free;

    /** Room for {@code countMax} copies at a time, a power of two. */
    public MemoryCopies(PeerConnection peer, int queuePairIndex, int countMax, long messageByteSizeMax) {
        this.peer = peer;
        this.queuePair = peer.dataQueuePair(queuePairIndex);
        this.messageByteSizeMax = messageByteSizeMax;
        this.free = new MpmcAtomicArrayQueue<>(Math.max(countMax, 2));
        for (int i = 0; i < countMax; i++) {
            free.add(new MemoryCopy(this));
        }
    }

    /** Starts one, unless as many as may be are under way. */
    public SendResult start(Opcode opcode, MemoryRegion local, long localOffset, long remoteAddress, long rkey,
            long byteSize,
            SendCallback callback) {
        MemoryCopy copy = free.poll();
        if (copy == null) {
            return SendResult.BACK_PRESSURED;
        }
        copy.start(opcode, local, localOffset, remoteAddress, rkey, byteSize, callback);
        return SendResult.SENT;
    }

    /** Why nothing can be copied any more; null while all is well. */
    public String failure() {
        return peer.failure();
    }

    EngineQueuePair queuePair() {
        return queuePair;
    }

    long messageByteSizeMax() {
        return messageByteSizeMax;
    }

    void giveBack(MemoryCopy copy) {
        free.add(copy);
    }
}
