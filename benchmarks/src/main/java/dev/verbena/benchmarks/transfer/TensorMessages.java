package dev.verbena.benchmarks.transfer;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

import io.grpc.Drainable;
import io.grpc.HasByteBuffer;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;

/**
 * How tensors and results become messages of gRPC's, and how these become tensors.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
final class TensorMessages {
    private static final int PIECE_BYTE_SIZE = 1 << 16;

    private TensorMessages() {}

    /** An array, as Protocol Buffers have it: copied on either side once more. */
    static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static final class Result implements MethodDescriptor.Marshaller<Float> {
        @Override
        public InputStream stream(Float value) {
            return new ByteArrayInputStream(ByteBuffer.allocate(Float.BYTES).putFloat(value).array());
        }

        @Override
        public Float parse(InputStream message) {
            try {
                return ByteBuffer.wrap(message.readNBytes(Float.BYTES)).getFloat();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** From the tensor's memory, and into the one that this is given. */
    static final class Direct implements MethodDescriptor.Marshaller<MemorySegment> {
        private volatile MemorySegment target = MemorySegment.NULL;

        /** Where the next tensors go. */
        void into(MemorySegment tensor) {
            target = tensor;
        }

        @Override
        public InputStream stream(MemorySegment value) {
            return new Message(value);
        }

        @Override
        public MemorySegment parse(InputStream message) {
            MemorySegment tensor = target;
            try {
                if (message instanceof HasByteBuffer buffers && buffers.byteBufferSupported()) {
                    fill(tensor.asByteBuffer(), buffers, message);
                } else {
                    tensor.copyFrom(MemorySegment.ofArray(message.readAllBytes()));
                }
                return tensor;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void fill(ByteBuffer tensor, HasByteBuffer buffers, InputStream message) throws IOException {
            while (tensor.hasRemaining()) {
                ByteBuffer next = buffers.getByteBuffer();
                int count = next.remaining();
                tensor.put(next);
                message.skipNBytes(count);
            }
        }
    }

    /** Which gRPC has written to its own buffers at once. */
    private static final class Message extends InputStream implements Drainable, KnownLength {
        private final MemorySegment tensor;

        Message(MemorySegment tensor) {
            this.tensor = tensor;
        }

        @Override
        public int available() {
            return Math.toIntExact(tensor.byteSize());
        }

        @Override
        public int drainTo(OutputStream to) throws IOException {
            byte[] piece = new byte[(int) Math.min(tensor.byteSize(), PIECE_BYTE_SIZE)];
            for (long at = 0; at < tensor.byteSize(); at += piece.length) {
                int count = (int) Math.min(piece.length, tensor.byteSize() - at);
                MemorySegment.copy(tensor, ValueLayout.JAVA_BYTE, at, piece, 0, count);
                to.write(piece, 0, count);
            }
            return available();
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException("it is drained");
        }
    }
}
