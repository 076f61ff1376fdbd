package dev.verbena.graph.onnx.wire;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

import com.google.protobuf.WireFormat;

/**
 * The fields of one protobuf message, written one after the other, some of them as they lie in another. Not by protobuf-java's
 * {@code CodedOutputStream}, which uses the JDK's back doors as soon as its class is loaded: Java 24 and later print a warning then.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
final class WireWriter {
    private static final int COPY_BYTE_SIZE = 1 << 16;
    private static final int FIELD_SHIFT = 3;
    private static final int VARINT_BITS = 7;
    private static final int VARINT_MORE = 1 << VARINT_BITS;

    private final String name;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** @param name of the model; for messages */
    WireWriter(String name) {
        this.name = name;
    }

    private void require(long byteSize) {
        // What an array can have, with some room for tags and lengths of the messages around it.
        if (bytes.size() + byteSize > Integer.MAX_VALUE - COPY_BYTE_SIZE) {
            throw new IllegalArgumentException("a part of " + name + " has nodes of more than 2 GiB, without its"
                    + " initializers; make initializers of its large constants");
        }
    }

    WireWriter integer(int field, long value) {
        varint((long) field << FIELD_SHIFT | WireFormat.WIRETYPE_VARINT);
        varint(value);
        return this;
    }

    WireWriter text(int field, String value) {
        return content(field, value.getBytes(StandardCharsets.UTF_8));
    }

    WireWriter message(int field, WireWriter message) {
        return content(field, message.toBytes());
    }

    private WireWriter content(int field, byte[] content) {
        require(content.length);
        varint((long) field << FIELD_SHIFT | WireFormat.WIRETYPE_LENGTH_DELIMITED);
        varint(content.length);
        bytes.writeBytes(content);
        return this;
    }

    /** Seven bits a byte, the lowest first. */
    private void varint(long value) {
        long left = value;
        while ((left & -VARINT_MORE) != 0) {
            bytes.write((int) left & VARINT_MORE - 1 | VARINT_MORE);
            left >>>= VARINT_BITS;
        }
        bytes.write((int) left);
    }

    /** Fields, with their tags. */
    WireWriter copy(MemorySegment fields) {
        require(fields.byteSize());
        for (long from = 0; from < fields.byteSize(); from += COPY_BYTE_SIZE) {
            long length = Math.min(COPY_BYTE_SIZE, fields.byteSize() - from);
            bytes.writeBytes(fields.asSlice(from, length).toArray(ValueLayout.JAVA_BYTE));
        }
        return this;
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }
}
