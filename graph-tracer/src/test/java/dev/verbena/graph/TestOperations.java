package dev.verbena.graph;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Simple operations on INT32 tensors. */
public final class TestOperations {
    private TestOperations() {}

    /** Operations that are their own kernels, for classes without names. */
    public interface Synchronous extends Operation, Kernel.Synchronous {}

    public interface Asynchronous extends Operation, Kernel.Asynchronous {}

    public interface PollingAsynchronous extends Operation, Kernel.PollingAsynchronous {}

    public static int[] ints(Tensor tensor) {
        return tensor.memory().toArray(ValueLayout.JAVA_INT);
    }

    public static void fill(Tensor tensor, int... values) {
        for (int i = 0; i < tensor.shape().elementCount(); i++) {
            tensor.memory().setAtIndex(ValueLayout.JAVA_INT, i, values[i % values.length]);
        }
    }

    public static Variable variable(long[] dimensions, int... values) {
        return new Variable(TensorType.of(ElementType.INT32, dimensions), tensor -> fill(tensor, values));
    }

    /** Allocates and fills its output. */
    public static Operation constant(long[] dimensions, int... values) {
        Shape shape = Shape.of(dimensions);
        return new Function("Constant", TensorType.of(ElementType.INT32, dimensions),
                context -> fill(context.allocateOutput(0, ElementType.INT32, shape), values));
    }

    /** One kernel and one output type, whatever the inputs; null for "as input 0". */
    public record Function(String name, TensorType type, Consumer<KernelContext> kernel) implements Synchronous {
        @Override
        public int inPlaceInput(int output) {
            return type == null ? 0 : -1;
        }

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
    public record Effect(String name, Consumer<KernelContext> kernel) implements Synchronous {
        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            return List.of();
        }

        @Override
        public void compute(KernelContext context) {
            kernel.accept(context);
        }
    }

    public static int mix(int seed, int accumulated, int value) {
        return accumulated * 31 + (value ^ seed);
    }

    /** Mixes all inputs element by element, into fresh storage or over its first input. */
    public record Mix(int seed, boolean inPlace) implements Synchronous {
        @Override
        public int inPlaceInput(int output) {
            return inPlace && output == 0 ? 0 : -1;
        }

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
    public record AddTo() implements Synchronous {
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
        public Set<Integer> mutatedInputs() {
            return Set.of(0);
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

    /** Adds its last input to each of the variables before it; no output. */
    public record AddToAll() implements Synchronous {
        @Override
        public String name() {
            return "AddToAll";
        }

        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            Arity.check(inputs, 3);
            return List.of();
        }

        @Override
        public Set<Integer> mutatedInputs() {
            return Set.of(0, 1);
        }

        @Override
        public void compute(KernelContext context) {
            for (int input : mutatedInputs()) {
                Tensor variable = context.input(input);
                for (int i = 0; i < variable.shape().elementCount(); i++) {
                    variable.memory().setAtIndex(ValueLayout.JAVA_INT, i,
                            variable.memory().getAtIndex(ValueLayout.JAVA_INT, i)
                                    + context.input(2).memory().getAtIndex(ValueLayout.JAVA_INT, i));
                }
            }
        }
    }

    /** Says that it changes inputs, and has an output like the first. Planned only. */
    public record Mutator(String name, Set<Integer> mutatedInputs) implements Operation {
        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            return List.of(inputs.getFirst());
        }
    }
}
