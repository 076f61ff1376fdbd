package dev.verbena.cli.grpc;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.stream.LongStream;

import dev.verbena.graph.run.EdgeCarrier;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.TransferException;
import io.grpc.MethodDescriptor;

/**
 * A tensor as bytes of a message, as TensorFlow's RecvTensor has it: copied into it where it is sent, and out of it where it arrives.
 *
 * <pre>
 *   code of the type, or 0 for a dead tensor   4 bytes
 *   rank                                       4
 *   dimensions                                 8 each
 *   content
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
final class TensorMessage {
    private static final int DEAD = 0;

    /** As Protocol Buffers have arrays of bytes. */
    static final MethodDescriptor.Marshaller<byte[]> MARSHALLER = new MethodDescriptor.Marshaller<>() {
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
    };

    private TensorMessage() {}

    /** @param tensor null if it is dead */
    static byte[] of(String edge, Tensor tensor) {
        if (tensor == null) {
            return new byte[2 * Integer.BYTES];
        }
        Shape shape = tensor.shape();
        int header = 2 * Integer.BYTES + shape.rank() * Long.BYTES;
        if (tensor.byteSize() > Integer.MAX_VALUE - header) {
            throw new TransferException("edge " + edge + ": a tensor of " + tensor.byteSize()
                    + " bytes does not fit a message of gRPC, which has 2 GiB at most; use --transport=zerocopy");
        }
        byte[] message = new byte[header + (int) tensor.byteSize()];
        ByteBuffer buffer = ByteBuffer.wrap(message).putInt(tensor.type().code()).putInt(shape.rank());
        for (int i = 0; i < shape.rank(); i++) {
            buffer.putLong(shape.dimension(i));
        }
        MemorySegment.ofArray(message).asSlice(header).copyFrom(tensor.memory());
        return message;
    }

    static EdgeCarrier.Arrival read(byte[] message) {
        ByteBuffer buffer = ByteBuffer.wrap(message);
        int code = buffer.getInt();
        int rank = buffer.getInt();
        if (code == DEAD) {
            return new EdgeCarrier.Arrival(null, null, null);
        }
        Shape shape = Shape.of(LongStream.generate(buffer::getLong).limit(rank).toArray());
        return new EdgeCarrier.Arrival(ElementType.ofCode(code), shape,
                MemorySegment.ofArray(message).asSlice(buffer.position()));
    }
}
