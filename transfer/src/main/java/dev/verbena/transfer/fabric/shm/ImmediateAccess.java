package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.fabric.shm.RemoteRegions.RemoteRegion;

/**
 * What a queue pair does at once: a copy by the calling thread, after the checks that a request has. Whatever is in its way, a request that is posted
 * instead finds too, and says so.
 *
 * <p>Threading: thread-safe; memory that is unmapped meanwhile is not touched.
 */
final class ImmediateAccess {
    /** What is not mapped for writing is no target, whatever its table says. */
    private static final int WRITABLE = Rights.LOCAL_WRITE | Rights.REMOTE_WRITE;

    private final RemoteRegions remoteRegions;
    private final QueuePairHalf peerHalf;
    private final Doorbell peerDoorbell;

    ImmediateAccess(RemoteRegions remoteRegions, QueuePairHalf peerHalf, Doorbell peerDoorbell) {
        this.remoteRegions = remoteRegions;
        this.peerHalf = peerHalf;
        this.peerDoorbell = peerDoorbell;
    }

    boolean tryPut(MemorySegment source, long offset, long byteSize, long address, long rkey) {
        try {
            RemoteRegion region = find(rkey, WRITABLE);
            long target = region == null ? -1 : region.offsetOf(address, byteSize);
            if (target < 0) {
                return false;
            }
            MemorySegment.copy(source, offset, region.memory, target, byteSize);
            if (byteSize >= Initiator.STREAMING_BYTE_SIZE_MIN) {
                VarHandle.fullFence();
            }
            return true;
        } catch (PeerFileException | IllegalStateException | InternalError e) {
            return false;
        }
    }

    boolean tryPutWord(long address, long rkey, long word, boolean tellsPolls) {
        try {
            RemoteRegion region = find(rkey, WRITABLE);
            long target = region == null ? -1 : region.offsetOf(address, Long.BYTES);
            if (target < 0 || (region.memory.address() + target & Long.BYTES - 1) != 0) {
                return false;
            }
            Words.LONG.setRelease(region.memory, target, word);
        } catch (PeerFileException | IllegalStateException | InternalError e) {
            return false;
        }
        tell(tellsPolls);
        return true;
    }

    private void tell(boolean tellsPolls) {
        try {
            if (tellsPolls) {
                peerDoorbell.ring(peerHalf.place());
            } else {
                peerHalf.countPutVolatile();
                peerDoorbell.ringIfAsleep(peerHalf.place());
            }
        } catch (IllegalStateException e) {
            // The connection was closed behind the word: who sleeps there hears of that.
        }
    }

    boolean tryGet(long address, long rkey, MemorySegment target, long offset, long byteSize) {
        try {
            RemoteRegion region = find(rkey, Rights.REMOTE_READ);
            long source = region == null ? -1 : region.offsetOf(address, byteSize);
            if (source < 0) {
                return false;
            }
            VarHandle.acquireFence();
            MemorySegment.copy(region.memory, source, target, offset, byteSize);
            return true;
        } catch (PeerFileException | IllegalStateException | InternalError e) {
            return false;
        }
    }

    /** @return null if no live region has that key and gives those rights, or the peer does not take part any more */
    private RemoteRegion find(long rkey, int rights) throws PeerFileException {
        RemoteRegion region = remoteRegions.find(rkey);
        boolean isGiven = region != null && (region.rightBits & rights) == rights
                && peerHalf.stateAcquire() == QueuePairHalf.READY;
        return isGiven ? region : null;
    }
}
