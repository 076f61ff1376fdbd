package dev.verbena.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Slab;
import dev.verbena.memory.Tensor;

/** Tensors for tests of single kernels, each over memory of its own that dies with a scope: a kernel cannot reach another's. */
public final class HeapOfTensors {
    private final Arena scope;

    public HeapOfTensors(Arena scope) {
        this.scope = scope;
    }

    /** Filled with NaN (or the like): a kernel that trusts what it finds shows. */
    public Tensor allocate(ElementType type, Shape shape) {
        MemorySegment memory = scope.allocate(Math.max(1, shape.byteSize(type)), 64).fill((byte) 0xFF);
        Slab slab = () -> memory;
        return Tensor.over(slab, 0, type, shape, () -> {});
    }

    public Tensor floats(Shape shape, float... values) {
        Tensor tensor = allocate(ElementType.FLOAT32, shape);
        MemorySegment.copy(values, 0, tensor.memory(), JAVA_FLOAT, 0, Math.toIntExact(shape.elementCount()));
        return tensor;
    }

    public Tensor ints(int... values) {
        Tensor tensor = allocate(ElementType.INT32, Shape.of(values.length));
        MemorySegment.copy(values, 0, tensor.memory(), JAVA_INT, 0, values.length);
        return tensor;
    }

    public static float[] floats(Tensor tensor) {
        return tensor.memory().toArray(JAVA_FLOAT);
    }
}
