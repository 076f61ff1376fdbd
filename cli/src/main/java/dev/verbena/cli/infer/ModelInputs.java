package dev.verbena.cli.infer;

import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

import dev.verbena.cli.BadInputException;
import dev.verbena.graph.Dimension;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.onnxruntime.CrossingTensor;
import dev.verbena.onnxruntime.ModelPlan;

/** A model's inputs: what files have, or numbers by a seed where they are FLOAT32 or FLOAT64, zeros elsewhere, which are indices of whatever there is. */
final class ModelInputs implements AutoCloseable {
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();

    private ModelInputs() {}

    /** @throws BadInputException if the shape of an input is still open */
    static void requireShapes(ModelPlan plan) {
        Set<String> open = new TreeSet<>();
        for (CrossingTensor input : plan.outputs(ModelPlan.CLIENT)) {
            if (input.shape().isEmpty()) {
                input.facts().shape().ifPresentOrElse(
                        shape -> shape.dimensions().stream().map(Dimension::symbols).forEach(open::addAll),
                        () -> {
                            throw new BadInputException("the model does not say how many dimensions its input '"
                                    + input.name() + "' has");
                        });
            }
        }
        if (!open.isEmpty()) {
            throw new BadInputException("the model's inputs leave " + String.join(", ", open)
                    + " open; give --symbol NAME=N for each, or --batch N");
        }
    }

    static ModelInputs allocate(ModelPlan plan, TensorArena arena) {
        ModelInputs inputs = new ModelInputs();
        plan.outputs(ModelPlan.CLIENT).forEach(
                each -> inputs.tensors.put(each.name(), arena.allocate(each.type(), each.shape().orElseThrow())));
        return inputs;
    }

    Map<String, Tensor> tensors() {
        return tensors;
    }

    void fill(long seed) {
        Random random = new Random(seed);
        for (Tensor tensor : tensors.values()) {
            long count = tensor.shape().elementCount();
            if (tensor.type() == ElementType.FLOAT32) {
                for (long i = 0; i < count; i++) {
                    tensor.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextGaussian());
                }
            } else if (tensor.type() == ElementType.FLOAT64) {
                for (long i = 0; i < count; i++) {
                    tensor.memory().setAtIndex(ValueLayout.JAVA_DOUBLE, i, random.nextGaussian());
                }
            } else {
                tensor.memory().fill((byte) 0);
            }
        }
    }

    /** With what is in files. */
    void fill(InputFiles files) {
        tensors.forEach((name, tensor) -> tensor.memory().copyFrom(files.elements(name)));
    }

    @Override
    public void close() {
        tensors.values().forEach(Tensor::close);
    }
}
