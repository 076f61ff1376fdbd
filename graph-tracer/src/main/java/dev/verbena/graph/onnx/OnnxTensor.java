package dev.verbena.graph.onnx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * A tensor that a model brings along: its weights, and constants in attributes.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable; contents are read from the model's file when they are asked for.
 *
 * @param typeCode of {@code TensorProto.DataType}
 * @param shape of any tensor, one of strings too
 * @param raw its elements' bytes in the model, little-endian; empty if they are elsewhere, or more than {@link Contents#COUNT_MAX} integers that
 *     the model has in another form
 * @param external where they are, if they are in another file
 */
public record OnnxTensor(String name, int typeCode, Shape shape, Optional<MemorySegment> raw,
        Optional<External> external) {
    /** Where weights are that the model's file has not. {@code byteSize} is empty for all that follows. */
    public record External(Path file, long byteOffset, OptionalLong byteSize) {}

    /** Empty if {@link ElementType} has none such: strings, for example. */
    public Optional<ElementType> elementType() {
        return OnnxTypes.ofCode(typeCode);
    }

    /**
     * The bytes of its elements, little-endian, where they are: in the model's file or in one of its own, which is mapped. Empty
     * where {@code raw} is, and they are not elsewhere.
     *
     * @throws IOException if the other file cannot be mapped, or is shorter than the model says
     */
    public Optional<MemorySegment> bytes() throws IOException {
        if (external.isEmpty()) {
            return raw;
        }
        External place = external.get();
        try (FileChannel channel = FileChannel.open(place.file())) {
            long rest = channel.size() - place.byteOffset();
            long byteSize = place.byteSize().orElse(rest);
            if (byteSize < 0 || byteSize > rest) {
                throw new IOException("tensor '" + name + "' ends behind the end of " + place.file() + ": byteOffset="
                        + place.byteOffset() + " byteSize=" + byteSize + " fileSize=" + channel.size());
            }
            return Optional
                    .of(channel.map(MapMode.READ_ONLY, place.byteOffset(), byteSize, Arena.ofAuto()));
        }
    }

    /** Its elements, if they are integers or booleans within the model's file, no more of them than that. */
    public Optional<long[]> integers(int countMax) {
        return isWithinReach(countMax)
                ? TensorNumbers.integers(elementType().get(), raw.get(), (int) shape.elementCount())
                : Optional.empty();
    }

    /** Its elements, if they are floats of 32 or 64 bits; as {@link #integers}. */
    public Optional<double[]> floats(int countMax) {
        return isWithinReach(countMax)
                ? TensorNumbers.floats(elementType().get(), raw.get(), (int) shape.elementCount())
                : Optional.empty();
    }

    private boolean isWithinReach(int countMax) {
        return elementType().isPresent() && raw.isPresent() && external.isEmpty() && shape.elementCount() <= countMax;
    }
}
