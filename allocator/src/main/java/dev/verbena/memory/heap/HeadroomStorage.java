package dev.verbena.memory.heap;

import dev.verbena.memory.events.FreeEvent;

/**
 * The storage of one tensor that does not begin where its block does.
 *
 * <p><b>Owner:</b> the tensor. <b>Threading:</b> immutable, and as the block's storage.
 *
 * @param block where the block goes back to
 * @param headroomByteSize bytes in front of the tensor that are its user's
 * @param frontByteSize bytes from the block's begin to the tensor's
 */
public record HeadroomStorage(Storage block, long headroomByteSize, long frontByteSize) implements PartStorage {
    @Override
    public Storage whole() {
        return block;
    }

    /** Recorded here, by the address of the block, as its allocation was. */
    @Override
    public void release(long address) {
        long start = address - frontByteSize;
        if (FreeEvent.isOn() && block.isArena()) {
            FreeEvent.record(block::release, start);
        } else {
            block.release(start);
        }
    }
}
