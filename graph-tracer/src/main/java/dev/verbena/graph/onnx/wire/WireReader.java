package dev.verbena.graph.onnx.wire;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.DoubleConsumer;
import java.util.function.LongConsumer;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;

import dev.verbena.graph.onnx.OnnxException;

/**
 * The fields of one protobuf message, in the order in which they lie there. What is long is a slice, not a copy, and may be longer than
 * 2 GiB, as the message may be.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
final class WireReader {
    private static final int BUFFER_BYTE_SIZE = 4096;
    private static final int BUFFER_BYTE_SIZE_MIN = 16;
    /** Names and the like. A text that is longer has no business in a model. */
    private static final int TEXT_BYTE_SIZE_MAX = 1 << 20;
    private static final int SKIP_MAX = 1 << 30;

    private static final ValueLayout.OfFloat LITTLE_ENDIAN_FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble LITTLE_ENDIAN_DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment bytes;
    private final long start;
    private final String place;
    private final CodedInputStream input;
    private int tag;
    /** In the message, of the field that is being read. */
    private long position;
    /** In the message, of its tag. */
    private long fieldStart;

    /**
     * @param start where the message begins in its file
     * @param place what it is called in messages
     */
    WireReader(MemorySegment bytes, long start, String place) {
        this.bytes = bytes;
        this.start = start;
        this.place = place;
        // Over a stream: over a direct buffer protobuf-java uses the JDK's back doors, or copies all of it.
        input = CodedInputStream.newInstance(new SegmentInputStream(bytes),
                Math.clamp(bytes.byteSize(), BUFFER_BYTE_SIZE_MIN, BUFFER_BYTE_SIZE));
    }

    /** Goes on to the next field; false at the end. */
    boolean next() {
        mark();
        fieldStart = position;
        tag = read(input::readTag);
        return tag != 0;
    }

    /** Counts from here on: protobuf-java counts in 31 bits. */
    private void mark() {
        position += input.getTotalBytesRead();
        input.resetSizeCounter();
    }

    int field() {
        return WireFormat.getTagFieldNumber(tag);
    }

    /** An integer, an enumerated value or a boolean. */
    long integer() {
        expect(WireFormat.WIRETYPE_VARINT);
        return read(input::readRawVarint64);
    }

    float singlePrecision() {
        expect(WireFormat.WIRETYPE_FIXED32);
        return Float.intBitsToFloat(read(input::readRawLittleEndian32));
    }

    /** The integers of a repeated field: as many as are packed here, or one. */
    void integers(LongConsumer each) {
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            each.accept(integer());
            return;
        }
        WireReader packed = message("");
        while (packed.position < packed.bytes.byteSize()) {
            each.accept(packed.read(packed.input::readRawVarint64));
            packed.mark();
        }
    }

    /** The floats of a repeated field, as {@link #integers}. */
    void singlePrecisions(DoubleConsumer each) {
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            each.accept(singlePrecision());
            return;
        }
        MemorySegment packed = packed(Float.BYTES);
        for (long offset = 0; offset < packed.byteSize(); offset += Float.BYTES) {
            each.accept(packed.get(LITTLE_ENDIAN_FLOAT, offset));
        }
    }

    /** The doubles of a repeated field, as {@link #integers}. */
    void doublePrecisions(DoubleConsumer each) {
        if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            expect(WireFormat.WIRETYPE_FIXED64);
            each.accept(Double.longBitsToDouble(read(input::readRawLittleEndian64)));
            return;
        }
        MemorySegment packed = packed(Double.BYTES);
        for (long offset = 0; offset < packed.byteSize(); offset += Double.BYTES) {
            each.accept(packed.get(LITTLE_ENDIAN_DOUBLE, offset));
        }
    }

    private MemorySegment packed(int elementByteSize) {
        MemorySegment packed = slice();
        if (packed.byteSize() % elementByteSize != 0) {
            throw failure(
                    packed.byteSize() + " bytes are no whole number of elements of " + elementByteSize + " bytes");
        }
        return packed;
    }

    /** The bytes of a field, where they are. */
    MemorySegment slice() {
        expect(WireFormat.WIRETYPE_LENGTH_DELIMITED);
        long length = read(input::readRawVarint64);
        long from = position + input.getTotalBytesRead();
        if (length < 0 || length > bytes.byteSize() - from) {
            throw failure("a length of " + Long.toUnsignedString(length) + " bytes, of which "
                    + (bytes.byteSize() - from) + " are there");
        }
        skip(length);
        return bytes.asSlice(from, length);
    }

    private void skip(long length) {
        for (long left = length; left > 0; left -= Math.min(left, SKIP_MAX)) {
            int step = (int) Math.min(left, SKIP_MAX);
            read(() -> {
                input.skipRawBytes(step);
                return 0;
            });
            mark();
        }
    }

    /** The message in a field. */
    WireReader message(String what) {
        MemorySegment message = slice();
        long offset = position + input.getTotalBytesRead() - message.byteSize();
        return new WireReader(message, start + offset, what.isEmpty() ? place : place + "." + what);
    }

    String text() {
        MemorySegment text = slice();
        if (text.byteSize() > TEXT_BYTE_SIZE_MAX) {
            throw failure("a text of " + text.byteSize() + " bytes; at most " + TEXT_BYTE_SIZE_MAX);
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text.toArray(ValueLayout.JAVA_BYTE)))
                    .toString();
        } catch (CharacterCodingException invalid) {
            throw failure("a text that is not UTF-8", invalid);
        }
    }

    /** What should be a text and may be any bytes; empty if it is too long for one. */
    Optional<String> anyText() {
        MemorySegment text = slice();
        return text.byteSize() > TEXT_BYTE_SIZE_MAX ? Optional.empty()
                : Optional.of(new String(text.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
    }

    /** Leaves a field out. */
    void skip() {
        switch (WireFormat.getTagWireType(tag)) {
            case WireFormat.WIRETYPE_VARINT -> integer();
            case WireFormat.WIRETYPE_FIXED32 -> read(input::readRawLittleEndian32);
            case WireFormat.WIRETYPE_FIXED64 -> read(input::readRawLittleEndian64);
            case WireFormat.WIRETYPE_LENGTH_DELIMITED -> slice();
            default -> throw failure("a field of wire type " + WireFormat.getTagWireType(tag) + ", which ONNX has not");
        }
    }

    /** Leaves a field out, and has its bytes with its tag, where they are. */
    MemorySegment whole() {
        skip();
        return bytes.asSlice(fieldStart, position + input.getTotalBytesRead() - fieldStart);
    }

    private void expect(int wireType) {
        if (WireFormat.getTagWireType(tag) != wireType) {
            throw failure("wire type " + WireFormat.getTagWireType(tag) + " where " + wireType + " belongs");
        }
    }

    String place() {
        return place;
    }

    /** The same message from its beginning. */
    WireReader again() {
        return new WireReader(bytes, start, place);
    }

    OnnxException failure(String message) {
        return failure(message, null);
    }

    private OnnxException failure(String message, Throwable cause) {
        return new OnnxException(place + (tag == 0 ? "" : ", field " + field()) + ", at byte " + (start + position),
                message, cause);
    }

    private interface Reading<T> {
        T read() throws IOException;
    }

    private <T> T read(Reading<T> reading) {
        try {
            return reading.read();
        } catch (IOException malformed) {
            throw failure("what is there is no protobuf, or is cut off: " + malformed.getMessage(), malformed);
        }
    }
}
