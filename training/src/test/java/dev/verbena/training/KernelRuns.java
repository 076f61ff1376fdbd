package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Single kernels, run on tensors of a heap, and what tests compare them by. */
public final class KernelRuns {
    private final HeapOfTensors heap;
    private final Random random;

    public KernelRuns(HeapOfTensors heap, long seed) {
        this.heap = heap;
        random = new Random(seed);
    }

    public List<Tensor> run(Operation operation, boolean inPlace, Tensor... inputs) {
        List<TensorType> types = Arrays.stream(inputs).map(Interpreter::typeOf).toList();
        return Interpreter.compute("node", operation, List.of(inputs), operation.infer(types), inPlace, heap);
    }

    /** That the kernel refuses what its shape function could not know. */
    public void assertRefused(String message, Operation operation, Tensor... inputs) {
        List<TensorType> outputs = operation.infer(Arrays.stream(inputs).map(KernelRuns::unknown).toList());
        assertEquals("node 'node': " + message, assertThrows(IllegalArgumentException.class,
                () -> Interpreter.compute("node", operation, List.of(inputs), outputs, false, heap)).getMessage());
    }

    private static TensorType unknown(Tensor tensor) {
        Dimension[] dimensions = new Dimension[tensor.shape().rank()];
        Arrays.setAll(dimensions, i -> Dimension.unknown(tensor + "[" + i + "]", "the run tells"));
        return new TensorType(tensor.type(), SymbolicShape.of(dimensions));
    }

    public static void assertInfers(Operation operation, List<TensorType> outputs, TensorType... inputs) {
        assertEquals(outputs, operation.infer(List.of(inputs)));
    }

    public static void assertRefuses(Operation operation, String message, TensorType... inputs) {
        assertEquals(message,
                assertThrows(IllegalArgumentException.class, () -> operation.infer(List.of(inputs))).getMessage());
    }

    public static TensorType floats(Dimension... dimensions) {
        return new TensorType(ElementType.FLOAT32, SymbolicShape.of(dimensions));
    }

    public static TensorType ints(Dimension... dimensions) {
        return new TensorType(ElementType.INT32, SymbolicShape.of(dimensions));
    }

    /** Of random numbers from -1 to 1. */
    public Tensor random(long... dimensions) {
        Shape shape = Shape.of(dimensions);
        return heap.floats(shape, values(Math.toIntExact(shape.elementCount())));
    }

    public float[] values(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat(-1, 1);
        }
        return values;
    }

    public Tensor ints(Shape shape, int... values) {
        Tensor tensor = heap.allocate(ElementType.INT32, shape);
        MemorySegment.copy(values, 0, tensor.memory(), ValueLayout.JAVA_INT, 0, values.length);
        return tensor;
    }

    public static int[] ints(Tensor tensor) {
        return tensor.memory().toArray(ValueLayout.JAVA_INT);
    }

    public static double[] doubles(Tensor tensor) {
        float[] floats = HeapOfTensors.floats(tensor);
        double[] doubles = new double[floats.length];
        Arrays.setAll(doubles, i -> floats[i]);
        return doubles;
    }

    public static void assertClose(String what, double[] expected, Tensor actual, double tolerance) {
        float[] floats = HeapOfTensors.floats(actual);
        assertEquals(expected.length, floats.length, what);
        for (int i = 0; i < floats.length; i++) {
            assertEquals(expected[i], floats[i], tolerance, what + "[" + i + "]");
        }
    }
}
