package dev.verbena.graph.onnx.wire;

import java.lang.foreign.MemorySegment;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

import dev.verbena.graph.onnx.OnnxTensor;
import dev.verbena.memory.Shape;

/**
 * Reads a {@code TensorProto}: what it says, and where its elements are, but not them.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> immutable.
 */
final class TensorReader {
    private static final int DIMS = 1;
    private static final int DATA_TYPE = 2;
    private static final int SEGMENT = 3;
    private static final int NAME = 8;
    private static final int RAW_DATA = 9;
    private static final int EXTERNAL_DATA = 13;
    private static final int DATA_LOCATION = 14;
    private static final long EXTERNAL = 1;

    private final Optional<Path> folder;

    /** @param folder where files lie that have weights; empty if there are none to look for */
    TensorReader(Optional<Path> folder) {
        this.folder = folder;
    }

    OnnxTensor read(WireReader tensor) {
        LongStream.Builder dimensions = LongStream.builder();
        Map<String, String> external = new HashMap<>();
        String name = "";
        long type = 0;
        long location = 0;
        MemorySegment raw = null;
        while (tensor.next()) {
            switch (tensor.field()) {
                case DIMS -> tensor.integers(dimensions);
                case DATA_TYPE -> type = tensor.integer();
                case SEGMENT -> throw tensor.failure("tensors in several segments are not supported");
                case NAME -> name = tensor.text();
                case RAW_DATA -> raw = tensor.slice();
                case EXTERNAL_DATA -> readEntry(tensor.message("external_data"), external);
                case DATA_LOCATION -> location = tensor.integer();
                default -> tensor.skip();
            }
        }
        Shape shape = shape(tensor, dimensions.build().toArray());
        Optional<OnnxTensor.External> elsewhere = location == EXTERNAL ? Optional.of(external(tensor, external))
                : Optional.empty();
        Optional<MemorySegment> bytes = raw != null || elsewhere.isPresent() ? Optional.ofNullable(raw)
                : TensorFields.bytes(tensor, name, type, shape);
        OnnxTensor read = new OnnxTensor(name, (int) type, shape, bytes, elsewhere);
        check(tensor, read);
        return read;
    }

    private static Shape shape(WireReader tensor, long[] dimensions) {
        try {
            return Shape.of(dimensions);
        } catch (IllegalArgumentException impossible) {
            throw tensor.failure(impossible.getMessage());
        }
    }

    private static void check(WireReader tensor, OnnxTensor read) {
        if (read.elementType().isEmpty()) {
            return;
        }
        long byteSize;
        try {
            byteSize = read.shape().byteSize(read.elementType().get());
        } catch (IllegalArgumentException impossible) {
            throw tensor.failure(impossible.getMessage());
        }
        if (read.external().isEmpty() && read.raw().isPresent() && read.raw().get().byteSize() != byteSize) {
            throw tensor.failure("tensor '" + read.name() + "' of " + read.elementType().get() + " " + read.shape()
                    + " has " + byteSize + " bytes, but " + read.raw().get().byteSize() + " are there");
        }
    }

    private static void readEntry(WireReader entry, Map<String, String> entries) {
        String key = "";
        String value = "";
        while (entry.next()) {
            switch (entry.field()) {
                case 1 -> key = entry.text();
                case 2 -> value = entry.text();
                default -> entry.skip();
            }
        }
        entries.put(key, value);
    }

    /** A model says where its weights are, but not outside its own folder: else it could have any file read. */
    private OnnxTensor.External external(WireReader tensor, Map<String, String> entries) {
        String location = entries.getOrDefault("location", "");
        try {
            Path inside = Path.of(location).normalize();
            if (location.isEmpty() || inside.isAbsolute() || inside.startsWith("..")) {
                throw tensor.failure("weights in '" + location + "', which is no file in the model's folder");
            }
            long byteOffset = Long.parseLong(entries.getOrDefault("offset", "0"));
            String length = entries.get("length");
            OptionalLong byteSize = length == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(length));
            if (byteOffset < 0 || byteSize.orElse(0) < 0) {
                throw tensor.failure("weights in '" + location + "' at a negative offset or length");
            }
            return new OnnxTensor.External(folder.map(each -> each.resolve(inside)).orElse(inside), byteOffset,
                    byteSize);
        } catch (InvalidPathException | NumberFormatException malformed) {
            throw tensor.failure("weights in '" + location + "': " + malformed.getMessage());
        }
    }
}
