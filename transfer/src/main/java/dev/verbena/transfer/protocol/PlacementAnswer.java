package dev.verbena.transfer.protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

import dev.verbena.transfer.TransferException;

/**
 * Where a sender may write.
 *
 * @param announced whether the receiver exists yet; if not, nothing else means anything, and an {@link Announcement} will tell when it does
 * @param tail whether arrival shows in the tail's sequence word, rather than as a completion with immediate
 * @param receiverId the immediate to send
 * @param depth slots
 * @param address of the first slot
 * @param rkey the key for it
 * @param sent tensors that earlier senders have written: the number of the first one to come
 * @param acknowledged how many of them are consumed
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record PlacementAnswer(boolean announced, boolean tail, int receiverId, int depth, long address, long rkey, long sent,
        long acknowledged) {
    static final PlacementAnswer NOT_YET = new PlacementAnswer(false, false, 0, 0, 0, 0, 0, 0);

    private static final int BYTE_SIZE = 2 + 2 * Integer.BYTES + 4 * Long.BYTES;

    byte[] encode() {
        return ByteBuffer.allocate(BYTE_SIZE).put((byte) (announced ? 1 : 0)).put((byte) (tail ? 1 : 0))
                .putInt(receiverId)
                .putInt(depth).putLong(address).putLong(rkey).putLong(sent).putLong(acknowledged).array();
    }

    static PlacementAnswer decode(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            PlacementAnswer answer = new PlacementAnswer(in.get() != 0, in.get() != 0, in.getInt(), in.getInt(),
                    in.getLong(), in.getLong(), in.getLong(), in.getLong());
            if (in.hasRemaining() || answer.announced() && !answer.isPossible()) {
                throw new TransferException("malformed placement answer: " + answer);
            }
            return answer;
        } catch (BufferUnderflowException e) {
            throw new TransferException("malformed placement answer: byteSize=" + bytes.length, e);
        }
    }

    private boolean isPossible() {
        return depth >= 1 && depth <= SlotLayout.DEPTH_MAX && acknowledged >= 0 && acknowledged <= sent
                && sent - acknowledged <= depth;
    }
}
