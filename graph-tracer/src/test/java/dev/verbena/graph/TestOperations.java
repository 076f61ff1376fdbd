package dev.verbena.graph;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Consumer;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Simple operations on INT32 tensors. */
final class TestOperations {
    private TestOperations() {}

    static int[] ints(Tensor tensor) {
        return tensor.memory().toArray(ValueLayout.JAVA_INT);
    }

    static void fill(Tensor tensor, int... values) {
        for (int i = 0; i < tensor.shape().elementCount(); i++) {
            tensor.memory().setAtIndex(ValueLayout.JAVA_INT, i, values[i % values.length]);
        }
    }

    static Variable variable(long[] dimensions, int... values) {
        return new Variable(TensorType.of(ElementType.INT32, dimensions), tensor -> fill(tensor, values));
    }

    /** Allocates and fills its output. */
    static Operation constant(long[] dimensions, int... values) {
        Shape shape = Shape.of(dimensions);
        return new Function("Constant", TensorType.of(ElementType.INT32, dimensions),
                context -> fill(context.allocateOutput(0, ElementType.INT32, shape), values));
    }

    /** One kernel and one output type, whatever the inputs; null for "as input 0". */
    record Function(String name, TensorType type, Consumer<KernelContext> kernel) implements Operation.Synchronous {
        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            return List.of(type != null ? type : inputs.getFirst());
        }

        @Override
        public void compute(KernelContext context) {
            kernel.accept(context);
        }
    }

    /** Runs something, has no outputs. */
    record Effect(String name, Consumer<KernelContext> kernel) implements Operation.Synchronous {
        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            return List.of();
        }

        @Override
        public void compute(KernelContext context) {
            kernel.accept(context);
        }
    }

    static int mix(int seed, int accumulated, int value) {
        return accumulated * 31 + (value ^ seed);
    }

    /** Mixes all inputs element by element, into fresh storage or over its first input. */
    record Mix(int seed, boolean inPlace) implements Operation.Synchronous {
        @Override
        public String name() {
            return inPlace ? "MixInPlace" : "Mix";
        }

        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            return List.of(inputs.getFirst());
        }

        @Override
        public void compute(KernelContext context) {
            Shape shape = context.input(0).shape();
            Tensor output = inPlace
                    ? context.outputInPlace(0, 0, shape)
                    : context.allocateOutput(0, ElementType.INT32, shape);
            for (int i = 0; i < shape.elementCount(); i++) {
                int result = seed;
                for (int k = 0; k < context.inputCount(); k++) {
                    result = mix(seed, result, context.input(k).memory().getAtIndex(ValueLayout.JAVA_INT, i));
                }
                output.memory().setAtIndex(ValueLayout.JAVA_INT, i, result);
            }
        }
    }

    /** Adds its second input to the variable that is its first, and passes the variable on. */
    record AddTo() implements Operation.Synchronous {
        @Override
        public String name() {
            return "AddTo";
        }

        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            Arity.check(inputs, 2);
            return List.of(inputs.getFirst());
        }

        @Override
        public int mutatedInput() {
            return 0;
        }

        @Override
        public void compute(KernelContext context) {
            Tensor variable = context.input(0);
            for (int i = 0; i < variable.shape().elementCount(); i++) {
                variable.memory().setAtIndex(ValueLayout.JAVA_INT, i,
                        variable.memory().getAtIndex(ValueLayout.JAVA_INT, i)
                                + context.input(1).memory().getAtIndex(ValueLayout.JAVA_INT, i));
            }
            context.forward(0, 0, variable.shape());
        }
    }
}
