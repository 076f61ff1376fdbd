package dev.verbena.transfer.protocol;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

import dev.verbena.transfer.TransferException;

/**
 * One end of a statically placed tensor tells the other that it closes, and asks until the other end leaves its memory alone.
 *
 * @param receiverId the receiver's number on its device, or {@link #ANY_RECEIVER} for a sender that has not been told it
 * @param senderId the sender's number on its device
 * @param sent tensors written so far, if the sender closes
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Farewell(int receiverId, int senderId, long sent) {
    /** To a receiver: its sender writes no more, and wants no more acknowledgements. */
    static final String OF_SENDER = "verbena.farewell.sender";
    /** To a sender: its receiver wants no more. */
    static final String OF_RECEIVER = "verbena.farewell.receiver";

    static final int ANY_RECEIVER = -1;

    private static final byte[] YES = {1};
    private static final byte[] NOT_YET = {0};
    private static final int BYTE_SIZE = 2 * Integer.BYTES + Long.BYTES;

    byte[] encode() {
        return ByteBuffer.allocate(BYTE_SIZE).putInt(receiverId).putInt(senderId).putLong(sent).array();
    }

    static Farewell decode(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            return new Farewell(in.getInt(), in.getInt(), in.getLong());
        } catch (BufferUnderflowException e) {
            throw new TransferException("malformed farewell: byteSize=" + bytes.length, e);
        }
    }

    /** Whether the other end leaves the memory alone from now on; if not, nothing is wrong: it is asked again. */
    static byte[] answer(boolean isQuiet) {
        return isQuiet ? YES : NOT_YET;
    }

    static boolean isQuiet(byte[] answer) {
        return answer.length == 1 && answer[0] == YES[0];
    }
}
