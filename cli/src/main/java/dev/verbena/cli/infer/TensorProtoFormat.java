package dev.verbena.cli.infer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import dev.verbena.cli.BadInputException;
import dev.verbena.graph.onnx.OnnxException;
import dev.verbena.graph.onnx.OnnxReader;
import dev.verbena.graph.onnx.OnnxTensor;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * Files of one {@code TensorProto}, as ONNX's test data has them. Numbers of fields are those of onnx.proto, the encoding is that of Protocol
 * Buffers, written by hand: protobuf-java writes by sun.misc.Unsafe, of which the JVM warns.
 */
final class TensorProtoFormat {
    private static final int MODEL_GRAPH = 7;
    private static final int GRAPH_INITIALIZER = 5;
    private static final int DIMS = 1;
    private static final int DATA_TYPE = 2;
    private static final int NAME = 8;
    private static final int RAW_DATA = 9;
    private static final int LENGTH_DELIMITED = 2;
    /** Of a field's tag, behind which its number is. */
    private static final int TYPE_BITS = 3;
    private static final long SEVEN_BITS = 0x7f;
    /** Of a message. */
    private static final long BYTE_SIZE_MAX = Integer.MAX_VALUE - 64;
    private static final String READ_AS = "tensor";

    private TensorProtoFormat() {}

    static TensorFile read(Path file, MemorySegment content) {
        try {
            OnnxTensor tensor = OnnxReader.read(model(file, content), String.valueOf(file.getFileName())).graph()
                    .initializers().get(READ_AS);
            if (tensor.external().isPresent()) {
                throw new BadInputException(file + " has its elements in another file; save it with them");
            }
            ElementType type = tensor.elementType().orElseThrow(
                    () -> new BadInputException(file + " has elements of type " + tensor.typeCode()
                            + " of TensorProto.DataType, which cannot be taken"));
            MemorySegment elements = tensor.raw().orElseThrow(() -> new BadInputException(file
                    + " has its elements as a list of numbers that is too long; save it by onnx.numpy_helper.from_array, which has bytes"));
            return new TensorFile(type, tensor.shape(), elements);
        } catch (OnnxException e) {
            throw new BadInputException(file + " is no TensorProto that can be read: " + e.getMessage());
        }
    }

    /** A model whose only weight it is, by a name that comes behind its own: of two the last counts. */
    private static MemorySegment model(Path file, MemorySegment tensor) {
        byte[] name = named(READ_AS);
        long tensorSize = tensor.byteSize() + name.length;
        if (tensorSize > BYTE_SIZE_MAX) {
            throw new BadInputException(file + " has " + tensor.byteSize()
                    + " bytes; ONNX Runtime's Java takes less than 2 GiB in one tensor");
        }
        byte[] weight = begin(GRAPH_INITIALIZER, tensorSize);
        byte[] graph = begin(MODEL_GRAPH, weight.length + tensorSize);
        MemorySegment model = Arena.ofAuto().allocate(graph.length + weight.length + tensorSize);
        long offset = 0;
        for (MemorySegment piece : List.of(MemorySegment.ofArray(graph), MemorySegment.ofArray(weight), tensor,
                MemorySegment.ofArray(name))) {
            MemorySegment.copy(piece, 0, model, offset, piece.byteSize());
            offset += piece.byteSize();
        }
        return model;
    }

    static void write(OutputStream file, String name, ElementType type, Shape shape, MemorySegment elements)
            throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        for (long dimension : shape.dimensions()) {
            varint(head, DIMS << TYPE_BITS);
            varint(head, dimension);
        }
        varint(head, DATA_TYPE << TYPE_BITS);
        varint(head, type.code());
        head.writeBytes(named(name));
        head.writeBytes(begin(RAW_DATA, elements.byteSize()));
        head.writeTo(file);
        NpyFormat.writeAll(file, elements);
    }

    private static byte[] named(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        to.writeBytes(begin(NAME, text.length));
        to.writeBytes(text);
        return to.toByteArray();
    }

    /** What is before a field of so many bytes. */
    private static byte[] begin(int field, long byteSize) {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        varint(to, field << TYPE_BITS | LENGTH_DELIMITED);
        varint(to, byteSize);
        return to.toByteArray();
    }

    private static void varint(ByteArrayOutputStream to, long value) {
        long left = value;
        while ((left & ~SEVEN_BITS) != 0) {
            to.write((int) (left & SEVEN_BITS | SEVEN_BITS + 1));
            left >>>= Byte.SIZE - 1;
        }
        to.write((int) left);
    }
}
