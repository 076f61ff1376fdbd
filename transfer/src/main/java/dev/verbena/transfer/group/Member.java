package dev.verbena.transfer.group;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.protocol.StaticPlacementReceiver;
import dev.verbena.transfer.protocol.StaticPlacementSender;
import dev.verbena.transfer.spi.PeerMemory;

/**
 * Another member of a group: slots that it sends into, and the sender into those that it has for this one.
 *
 * <p><b>Owner:</b> {@link Collectives}. <b>Threading:</b> while driving, except for {@link #failure} and {@link #close}.
 */
final class Member {
    private final int rank;
    private final Endpoint endpoint;
    private final StaticPlacementReceiver receiver;
    /** Bytes of a slot here. */
    private final long slotByteSize;
    private volatile StaticPlacementSender sender;
    private final TensorLease slot = new TensorLease();
    private boolean hasSlot;
    private final SendCallback sent;
    private final MappedRegions regions = new MappedRegions();
    /** Where it has its tensor, and how far from the region's begin; of the latest {@link #map}. */
    private MemorySegment mapped;
    private long mappedOffset;

    Member(Collectives group, int rank, Endpoint endpoint, StaticPlacementReceiver receiver, long slotByteSize) {
        this.rank = rank;
        this.endpoint = endpoint;
        this.receiver = receiver;
        this.slotByteSize = slotByteSize;
        receiver.tellPolls();
        sent = cause -> group.onSent(this, cause);
    }

    int rank() {
        return rank;
    }

    void connected(StaticPlacementSender toIt) {
        regions.of(toIt.peer());
        toIt.tellPolls();
        sender = toIt;
    }

    boolean isConnected() {
        return sender != null;
    }

    // ---- what it has sent ----

    /** Whether its next message is here; it stays until {@link #release}. */
    boolean hasArrived() {
        if (!hasSlot) {
            hasSlot = receiver.take(slot);
        }
        return hasSlot;
    }

    /** The slot of the message; what it says ends at {@link #end}. */
    MemorySegment memory() {
        return slot.memory();
    }

    long end() {
        return slotByteSize;
    }

    void release() {
        hasSlot = false;
        slot.close();
    }

    /** @throws TransferException if it has no tensor of that size there */
    void map(Place place, long byteSize) {
        PeerMemory region = regions.find(place.rkey());
        mapped = region.memory();
        mappedOffset = region.offsetOf(place.address(), byteSize);
        if (mappedOffset < 0) {
            throw new TransferException(
                    this + " names a tensor of byteSize=" + byteSize + " that is not in its region: address="
                            + place.address() + " rkey=" + place.rkey());
        }
    }

    MemorySegment mapped() {
        return mapped;
    }

    long mappedOffset() {
        return mappedOffset;
    }

    // ---- what it is sent ----

    boolean isReady() {
        return sender != null && sender.hasSlotForPart();
    }

    void send(Tensor tensor, long byteOffset, long byteSize) {
        sender.put(tensor, byteOffset, byteSize, sent);
    }

    /** Nothing but that it may read so many bytes of the tensor. */
    void sendPlace(Tensor tensor, long byteSize) {
        sender.putPlace(tensor, byteSize, sent);
    }

    /** To a place that it has told of, whatever the size of a slot. */
    void sendTo(Place place, Tensor tensor, long byteOffset, long byteSize) {
        sender.putAt(place.address() + byteOffset, place.rkey(), tensor, byteOffset, byteSize, sent);
    }

    /** To the same process, over the small RPC; nothing if it is not reached. */
    void tell(String method, byte[] message) {
        StaticPlacementSender toIt = sender;
        if (toIt != null && toIt.peer().failure() == null) {
            toIt.peer().tell(method, message);
        }
    }

    /** Why nothing more comes from it or goes to it; null while all is well. */
    String failure() {
        StaticPlacementSender toIt = sender;
        if (toIt == null) {
            return null;
        }
        PeerConnection from = receiver.sender();
        String cause = toIt.failure() != null ? toIt.failure() : from == null ? null : from.failure();
        if (cause == null && receiver.goodbyes() > 0) {
            cause = "it has left the group";
        }
        return cause;
    }

    void close() {
        if (sender != null) {
            sender.close();
        }
        receiver.close();
        slot.release();
        regions.close();
    }

    @Override
    public String toString() {
        return "rank " + rank + " (" + (sender == null ? "" : "'" + sender.receiverName() + "' at ") + endpoint + ")";
    }
}
