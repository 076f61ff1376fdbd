package dev.verbena.graph.partition;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.OnnxTensor;
import dev.verbena.graph.onnx.TensorFacts;
import dev.verbena.memory.ElementType;

/**
 * How large things are, and, where nobody can say before the run, what is assumed for weighing them against each other.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class Estimates {
    private static final long ASSUMED_BITS = 32;
    /** More is not told apart: sums of it must stay numbers. */
    private static final long ASSUMED_BYTES_MAX = 1L << 44;

    private Estimates() {}

    /** Of a tensor whose shape and type are known. */
    static OptionalLong byteSize(TensorFacts facts) {
        if (!facts.isStatic()) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(facts.shape().get().toShape().byteSize(facts.elementType().get()));
    }

    static long byteSize(OnnxTensor tensor) {
        return tensor.elementType().map(tensor.shape()::byteSize).orElse(0L);
    }

    /** Where dimensions are open, of 1; of elements as large as a float where they are not known. */
    static long assumedByteSize(TensorFacts facts) {
        long bits = facts.elementType().map(ElementType::bitSize).map(Integer::longValue).orElse(ASSUMED_BITS);
        long count = facts.shape().map(shape -> {
            try {
                return assumed(shape.elementCount());
            } catch (ArithmeticException _) {
                return ASSUMED_BYTES_MAX;
            }
        }).orElse(1L);
        return Math.clamp(Math.ceilDiv(Math.min(count, ASSUMED_BYTES_MAX) * bits, (long) Byte.SIZE), 1,
                ASSUMED_BYTES_MAX);
    }

    /** With 1 for whatever is open; 0 where that cannot be. */
    static long assumed(Dimension dimension) {
        Map<String, Long> ones = new HashMap<>();
        dimension.symbols().forEach(symbol -> ones.put(symbol, 1L));
        try {
            return Math.max(0, dimension.bind(ones).value().orElse(0));
        } catch (ArithmeticException _) {
            return 0;
        }
    }

    static long assumed(Optional<Dimension> dimension) {
        return dimension.map(Estimates::assumed).orElse(0L);
    }
}
