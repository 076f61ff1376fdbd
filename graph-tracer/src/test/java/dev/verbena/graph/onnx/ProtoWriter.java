package dev.verbena.graph.onnx;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import com.google.protobuf.CodedOutputStream;

/** Writes the fields of one protobuf message. */
final class ProtoWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CodedOutputStream output = CodedOutputStream.newInstance(bytes);

    private interface Writing {
        void write() throws IOException;
    }

    private ProtoWriter write(Writing writing) {
        try {
            writing.write();
            return this;
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    ProtoWriter integer(int field, long value) {
        return write(() -> output.writeInt64(field, value));
    }

    ProtoWriter single(int field, float value) {
        return write(() -> output.writeFloat(field, value));
    }

    ProtoWriter text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    ProtoWriter bytes(int field, byte[] value) {
        return write(() -> output.writeByteArray(field, value));
    }

    ProtoWriter message(int field, ProtoWriter message) {
        return bytes(field, message.toBytes());
    }

    byte[] toBytes() {
        write(output::flush);
        return bytes.toByteArray();
    }
}
