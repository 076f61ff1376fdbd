package dev.verbena.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;

/**
 * The variables of a network: first the weights of all layers, then all biases, so that servers that take them in turn get
 * some of the large ones each.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param widths as {@link Model#widths}
 */
record Parameters(int... widths) {
    /** One variable: its name, and how it looks. */
    record Parameter(String name, TensorType type) {}

    int layerCount() {
        return widths.length - 1;
    }

    /** Where the weights of a layer, counted from 0, are in {@link #all()}. */
    int weightIndex(int layer) {
        return layer;
    }

    /** Where the bias of a layer, counted from 0, is in {@link #all()}. */
    int biasIndex(int layer) {
        return layerCount() + layer;
    }

    List<Parameter> all() {
        List<Parameter> all = new ArrayList<>();
        for (int layer = 0; layer < layerCount(); layer++) {
            all.add(new Parameter("layer" + (layer + 1) + "/weight",
                    TensorType.of(ElementType.FLOAT32, widths[layer], widths[layer + 1])));
        }
        for (int layer = 0; layer < layerCount(); layer++) {
            all.add(new Parameter("layer" + (layer + 1) + "/bias",
                    TensorType.of(ElementType.FLOAT32, widths[layer + 1])));
        }
        return all;
    }

    /**
     * Fills a variable with its first values: weights uniform with variance 2 / inputs, which keeps the scale of the signal
     * through layers that pass about half of it; biases 0. The same for a seed and a variable, whoever's memory it is.
     *
     * <p>Source: He, Zhang, Ren, Sun, <i>Delving deep into rectifiers</i>, 2015, §2.2.
     */
    Consumer<Tensor> initializer(int index, long seed) {
        return variable -> {
            MemorySegment memory = variable.memory();
            if (variable.shape().rank() < 2) {
                memory.fill((byte) 0);
                return;
            }
            SeededRandom random = new SeededRandom(seed, SeededRandom.Purpose.WEIGHTS, index);
            // Uniform in [-limit, limit) has variance limit^2 / 3.
            float limit = (float) Math.sqrt(6.0 / variable.shape().dimension(0));
            long count = variable.shape().elementCount();
            for (long i = 0; i < count; i++) {
                memory.setAtIndex(JAVA_FLOAT, i, random.nextFloat(-limit, limit));
            }
        };
    }
}
