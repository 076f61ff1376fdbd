package dev.verbena.onnxruntime;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** One protobuf message, by its fields' numbers. */
final class Message {
    private static final int LENGTH_DELIMITED = 2;
    private static final int SEVEN_BITS = 0x7f;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Message integer(int field, long value) {
        varint((long) field << 3);
        varint(value);
        return this;
    }

    Message bytes(int field, byte[] value) {
        varint((long) field << 3 | LENGTH_DELIMITED);
        varint(value.length);
        bytes.writeBytes(value);
        return this;
    }

    Message text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    Message message(int field, Message value) {
        return bytes(field, value.toBytes());
    }

    Message floats(int field, float... values) {
        ByteBuffer raw = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        raw.asFloatBuffer().put(values);
        return bytes(field, raw.array());
    }

    private void varint(long value) {
        long left = value;
        while ((left & ~SEVEN_BITS) != 0) {
            bytes.write((int) (left & SEVEN_BITS | SEVEN_BITS + 1));
            left >>>= Byte.SIZE - 1;
        }
        bytes.write((int) left);
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }
}
