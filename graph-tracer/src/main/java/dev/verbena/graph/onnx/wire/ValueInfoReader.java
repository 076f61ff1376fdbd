package dev.verbena.graph.onnx.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.OnnxTypes;
import dev.verbena.graph.onnx.ValueInfo;
import dev.verbena.memory.Shape;

/**
 * Reads a {@code ValueInfoProto}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class ValueInfoReader {
    private ValueInfoReader() {}

    static ValueInfo read(WireReader value) {
        String name = "";
        ValueInfo type = new ValueInfo("", "nothing said", Optional.empty(), Optional.empty(), true);
        while (value.next()) {
            switch (value.field()) {
                case 1 -> name = value.text();
                case 2 -> type = readType(value.message("type"));
                default -> value.skip();
            }
        }
        if (name.isEmpty()) {
            throw value.failure("a value without a name");
        }
        return new ValueInfo(name, type.type(), type.elementType(), type.dimensions(), type.isTensor());
    }

    private static ValueInfo readType(WireReader type) {
        ValueInfo read = new ValueInfo("", "nothing said", Optional.empty(), Optional.empty(), true);
        while (type.next()) {
            switch (type.field()) {
                case 1 -> read = readTensor(type.message("tensor_type"));
                case 4 -> read = skipped(type, "sequence");
                case 5 -> read = skipped(type, "map");
                case 7 -> read = skipped(type, "opaque");
                case 8 -> read = skipped(type, "sparse tensor");
                case 9 -> read = skipped(type, "optional");
                default -> type.skip();
            }
        }
        return read;
    }

    private static ValueInfo skipped(WireReader type, String what) {
        type.skip();
        return new ValueInfo("", what, Optional.empty(), Optional.empty(), false);
    }

    private static ValueInfo readTensor(WireReader tensor) {
        long code = 0;
        Optional<List<Optional<Dimension>>> dimensions = Optional.empty();
        while (tensor.next()) {
            switch (tensor.field()) {
                case 1 -> code = tensor.integer();
                case 2 -> dimensions = Optional.of(readShape(tensor.message("shape")));
                default -> tensor.skip();
            }
        }
        return new ValueInfo("", OnnxTypes.nameOf(code), OnnxTypes.ofCode(code), dimensions, true);
    }

    private static List<Optional<Dimension>> readShape(WireReader shape) {
        List<Optional<Dimension>> dimensions = new ArrayList<>();
        while (shape.next()) {
            if (shape.field() == 1) {
                dimensions.add(readDimension(shape.message("dim[" + dimensions.size() + "]")));
                if (dimensions.size() > Shape.RANK_MAX) {
                    throw shape.failure("more than " + Shape.RANK_MAX + " dimensions");
                }
            } else {
                shape.skip();
            }
        }
        return dimensions;
    }

    private static Optional<Dimension> readDimension(WireReader dimension) {
        Optional<Dimension> read = Optional.empty();
        while (dimension.next()) {
            switch (dimension.field()) {
                case 1 -> {
                    long size = dimension.integer();
                    read = size < 0 ? Optional.empty() : Optional.of(Dimension.of(size));
                }
                case 2 -> {
                    String symbol = dimension.text();
                    read = symbol.isEmpty() ? Optional.empty() : Optional.of(Dimension.symbol(symbol));
                }
                default -> dimension.skip();
            }
        }
        return read;
    }
}
