package dev.verbena.djl;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDScope;
import ai.djl.training.GradientCollector;
import ai.djl.training.optimizer.Optimizer;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * Parameters of a model in one tensor, and their gradients in another one. PyTorch adds to a gradient that is there, so one that was moved here once
 * stays here: through backward passes, and through updates, which set it to zero.
 *
 * <p>Threading: confined to the thread that trains.
 */
final class Bucket implements AutoCloseable {
    private final BucketPlan plan;
    private final Tensor parameters;
    /** Null if they are not trained. */
    private final Tensor gradients;
    /** By place. */
    private final List<NDArray> gradientArrays = new ArrayList<>();
    private long copies;

    Bucket(BucketPlan plan, TensorArena arena) {
        this.plan = plan;
        Shape shape = Shape.of(plan.byteSize() / plan.kind().type().byteSize(1));
        parameters = arena.allocateZeroed(plan.kind().type(), shape);
        gradients = plan.kind().isTrained() ? arena.allocateZeroed(plan.kind().type(), shape) : null;
    }

    void moveIn() {
        for (BucketPlan.Place place : plan.places()) {
            NDArray array = place.parameter().getArray();
            MemorySegment memory = part(parameters, place);
            copy(array, memory);
            array.set(buffer(memory));
            if (isTrained()) {
                gradientArrays.add(gradientOf(array));
                gradientArrays.getLast().set(buffer(part(gradients, place)));
            }
        }
    }

    /** PyTorch makes it in the first backward pass: here one that leaves it zero. */
    private static NDArray gradientOf(NDArray array) {
        try (NDScope _ = new NDScope();
                GradientCollector collector = array.getManager().getEngine().newGradientCollector()) {
            collector.backward(array.mul(0).sum());
        }
        return array.getGradient();
    }

    boolean isTrained() {
        return gradients != null;
    }

    Tensor parameters() {
        return parameters;
    }

    Tensor gradients() {
        return gradients;
    }

    long byteSize() {
        return plan.tensorByteSizes().sum();
    }

    long copies() {
        return copies;
    }

    void describe(String suffix, StringBuilder text) {
        for (BucketPlan.Place place : plan.places()) {
            text.append(place.name()).append(' ').append(place.parameter().getArray().getShape()).append(' ')
                    .append(plan.kind().type()).append(isTrained() ? " trained " : " not trained ").append(suffix)
                    .append('\n');
        }
    }

    /** Moves gradients here that somebody has given other memory. */
    void gather() {
        for (int i = 0; i < plan.places().size(); i++) {
            BucketPlan.Place place = plan.places().get(i);
            MemorySegment memory = part(gradients, place);
            NDArray gradient = place.parameter().getArray().getGradient();
            if (addressOf(gradient) == memory.address()) {
                gradient.close();
            } else {
                copy(gradient, memory);
                gradient.set(buffer(memory));
                gradientArrays.set(i, gradient).close();
                copies++;
            }
        }
    }

    /** Whether one of them is not zero; places begin and end at whole words. */
    boolean hasGradients() {
        MemorySegment memory = gradients.memory();
        for (long offset = 0; offset < memory.byteSize(); offset += Long.BYTES) {
            if (memory.get(ValueLayout.JAVA_LONG, offset) != 0) {
                return true;
            }
        }
        return false;
    }

    void update(Optimizer optimizer) {
        for (int i = 0; i < plan.places().size(); i++) {
            BucketPlan.Place place = plan.places().get(i);
            optimizer.update(place.parameter().getId(), place.parameter().getArray(), gradientArrays.get(i));
        }
    }

    private static MemorySegment part(Tensor tensor, BucketPlan.Place place) {
        return tensor.memory().asSlice(place.offset(), place.byteSize());
    }

    private static ByteBuffer buffer(MemorySegment memory) {
        return memory.asByteBuffer().order(ByteOrder.nativeOrder());
    }

    private static long addressOf(NDArray array) {
        return MemorySegment.ofBuffer(array.toByteBuffer(true)).address();
    }

    /** One that is not contiguous is made so by PyTorch. */
    private static void copy(NDArray from, MemorySegment to) {
        try (NDScope _ = new NDScope()) {
            to.copyFrom(MemorySegment.ofBuffer(from.toByteBuffer(true)));
        }
    }

    /** Ordinary memory again, which the arrays keep. */
    @Override
    public void close() {
        for (int i = 0; i < plan.places().size(); i++) {
            moveOut(plan.places().get(i).parameter().getArray());
            if (i < gradientArrays.size()) {
                moveOut(gradientArrays.get(i));
            }
        }
        parameters.close();
        if (isTrained()) {
            gradients.close();
        }
    }

    private static void moveOut(NDArray array) {
        if (!array.isReleased()) {
            ByteBuffer own = ByteBuffer
                    .allocateDirect(Math.toIntExact(array.size() * array.getDataType().getNumOfBytes()))
                    .order(ByteOrder.nativeOrder());
            copy(array, MemorySegment.ofBuffer(own));
            array.set(own);
        }
    }
}
