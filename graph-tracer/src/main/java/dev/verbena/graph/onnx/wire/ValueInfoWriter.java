package dev.verbena.graph.onnx.wire;

import java.util.Optional;
import java.util.OptionalLong;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.ValueInfo;

/**
 * Writes a {@code ValueInfoProto} of a tensor.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class ValueInfoWriter {
    private ValueInfoWriter() {}

    /** @throws IllegalArgumentException if the type of its elements is not known: it is not to be read without that */
    static WireWriter write(ValueInfo value) {
        int code = value.elementType().orElseThrow(
                () -> new IllegalArgumentException(
                        "'" + value.name() + "' is " + value.type() + ", no tensor of a known type"))
                .code();
        WireWriter tensor = new WireWriter(value.name()).integer(1, code);
        value.dimensions().ifPresent(dimensions -> {
            WireWriter shape = new WireWriter(value.name());
            dimensions.forEach(each -> shape.message(1, dimension(value.name(), each)));
            tensor.message(2, shape);
        });
        WireWriter type = new WireWriter(value.name()).message(1, tensor);
        return new WireWriter(value.name()).text(1, value.name()).message(2, type);
    }

    /** What is known only at run time has no name: that of a symbol says that sizes are equal, and runtimes look. */
    private static WireWriter dimension(String tensor, Optional<Dimension> dimension) {
        WireWriter writer = new WireWriter(tensor);
        OptionalLong number = dimension.map(Dimension::value).orElse(OptionalLong.empty());
        if (number.isPresent()) {
            return writer.integer(1, number.getAsLong());
        }
        dimension.filter(each -> !each.isUnknown()).ifPresent(each -> writer.text(2, each.toString()));
        return writer;
    }
}
