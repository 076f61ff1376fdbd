package dev.verbena.transfer.fabric.verbs.cm;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * What ties a request of the connection manager to a handshake: told over the control socket, and told again in the private data of
 * the request. Who was not told it cannot guess it.
 *
 * <pre>
 *   0  high   long  of the token, big-endian as all
 *   8  low    long
 *  16  index  int   of the queue pair within its connection
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record CmToken(long high, long low) {
    /** Where nobody is to connect. */
    public static final CmToken NONE = new CmToken(0, 0);

    /** Which queue pair a request is for. */
    record Target(CmToken token, int index) {}

    private static final int BYTE_SIZE = 20;

    public static CmToken random(SecureRandom random) {
        return new CmToken(random.nextLong(), random.nextLong());
    }

    /** Of a request for the queue pair. */
    byte[] privateData(int index) {
        return ByteBuffer.allocate(BYTE_SIZE).putLong(high).putLong(low).putInt(index).array();
    }

    /** What a request says, padded or not; null if it is too short to say anything. */
    static Target read(byte[] privateData) {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(privateData);
            return new Target(new CmToken(buffer.getLong(), buffer.getLong()), buffer.getInt());
        } catch (BufferUnderflowException e) {
            return null;
        }
    }

    /** It would be as good as the right to connect. */
    @Override
    public String toString() {
        return "token";
    }
}
