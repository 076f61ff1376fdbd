package dev.verbena.onnxruntime;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

import io.grpc.Drainable;
import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;

/**
 * A tensor in a message of gRPC's: two numbers and its bytes, without the fields of Protocol Buffers, which would be one copy more on either side.
 *
 * @param bytes direct
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record SentTensor(int tensor, long inference, ByteBuffer bytes) {
    public static final MethodDescriptor.Marshaller<SentTensor> MARSHALLER = new Marshaller();
    private static final int HEAD_BYTE_SIZE = Integer.BYTES + Long.BYTES;
    private static final int PIECE_BYTE_SIZE = 1 << 16;

    private static final class Marshaller implements MethodDescriptor.Marshaller<SentTensor> {
        @Override
        public InputStream stream(SentTensor value) {
            return new Message(value);
        }

        @Override
        public SentTensor parse(InputStream message) {
            try {
                DataInputStream head = new DataInputStream(message);
                int tensor = head.readInt();
                long inference = head.readLong();
                ByteBuffer bytes = ByteBuffer.allocateDirect(message.available());
                if (message instanceof HasByteBuffer buffers && buffers.byteBufferSupported()) {
                    while (bytes.hasRemaining()) {
                        ByteBuffer next = buffers.getByteBuffer();
                        int count = next.remaining();
                        bytes.put(next);
                        message.skipNBytes(count);
                    }
                } else {
                    bytes.put(message.readAllBytes());
                }
                return new SentTensor(tensor, inference, bytes.flip());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** What gRPC has written to its own buffers at once, without asking for single bytes. */
    private static final class Message extends InputStream implements Drainable, KnownLength {
        private final SentTensor value;

        Message(SentTensor value) {
            this.value = value;
        }

        @Override
        public int available() {
            return HEAD_BYTE_SIZE + value.bytes.remaining();
        }

        @Override
        public int drainTo(OutputStream to) throws IOException {
            byte[] piece = new byte[PIECE_BYTE_SIZE];
            ByteBuffer.wrap(piece).putInt(value.tensor).putLong(value.inference);
            to.write(piece, 0, HEAD_BYTE_SIZE);
            ByteBuffer left = value.bytes.duplicate();
            while (left.hasRemaining()) {
                int count = Math.min(left.remaining(), piece.length);
                left.get(piece, 0, count);
                to.write(piece, 0, count);
            }
            return available();
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException("it is drained");
        }
    }

    /** The answer to one. */
    static final class Nothing implements MethodDescriptor.Marshaller<Nothing> {
        static final Nothing INSTANCE = new Nothing();

        @Override
        public InputStream stream(Nothing value) {
            return new ByteArrayInputStream(new byte[0]);
        }

        @Override
        public Nothing parse(InputStream message) {
            return INSTANCE;
        }
    }
}
