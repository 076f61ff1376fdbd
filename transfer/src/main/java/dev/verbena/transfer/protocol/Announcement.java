package dev.verbena.transfer.protocol;

import java.nio.ByteBuffer;

import dev.verbena.transfer.TransferException;

/**
 * A device tells a sender, which has asked in vain, that it has a receiver of that name now.
 *
 * @param senderId the sender's number on its device
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Announcement(int senderId) {
    static final String METHOD = "verbena.announcement";
    /** Nobody waits for it. */
    static final byte[] ANSWER = {};

    byte[] encode() {
        return ByteBuffer.allocate(Integer.BYTES).putInt(senderId).array();
    }

    static Announcement decode(byte[] bytes) {
        if (bytes.length != Integer.BYTES) {
            throw new TransferException("malformed announcement: byteSize=" + bytes.length);
        }
        return new Announcement(ByteBuffer.wrap(bytes).getInt());
    }
}
