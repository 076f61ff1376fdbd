package dev.verbena.djl;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

import ai.djl.ndarray.NDArray;
import ai.djl.nn.Parameter;
import dev.verbena.memory.ElementType;

/**
 * Which parameters have one tensor together, and their gradients another one of the same layout.
 *
 * <pre>
 *   │ 0 weight ......... │ pad │ bias .. │ pad │ ...     each begins at a multiple of 64 bytes
 * </pre>
 *
 * <p>Threading: confined to the thread that trains.
 */
final class BucketPlan {
    private static final long ALIGNMENT = 64;

    private final Kind kind;
    private final List<Place> places = new ArrayList<>();
    private long byteSize;

    BucketPlan(Kind kind) {
        this.kind = kind;
    }

    /** What all parameters of a bucket have in common. */
    record Kind(ElementType type, boolean isTrained) {
        static Kind of(String name, Parameter parameter) {
            NDArray array = parameter.getArray();
            if (array.getDevice().isGpu()) {
                throw new IllegalArgumentException("parameter '" + name + "' is on " + array.getDevice()
                        + "; make the model on Device.cpu()");
            }
            if (byteSizeOf(parameter) > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("parameter '" + name + "' has " + byteSizeOf(parameter)
                        + " bytes; DJL takes less than 2 GiB in one piece, so divide it");
            }
            ElementType type = switch (array.getDataType()) {
                case FLOAT64 -> ElementType.FLOAT64;
                case FLOAT32 -> ElementType.FLOAT32;
                case FLOAT16 -> ElementType.FLOAT16;
                case BFLOAT16 -> ElementType.BFLOAT16;
                case INT64 -> ElementType.INT64;
                case INT32 -> ElementType.INT32;
                case INT8 -> ElementType.INT8;
                case UINT8 -> ElementType.UINT8;
                default -> throw new IllegalArgumentException("parameter '" + name + "' is of type "
                        + array.getDataType() + ", which is not sent; convert it to FLOAT32");
            };
            return new Kind(type, parameter.requiresGradient());
        }
    }

    /** Where in the bucket one lies. */
    record Place(String name, Parameter parameter, long offset, long byteSize) {}

    static long byteSizeOf(Parameter parameter) {
        NDArray array = parameter.getArray();
        return array.size() * array.getDataType().getNumOfBytes();
    }

    boolean hasRoom(Parameter parameter, long byteSizeMax) {
        return byteSize + byteSizeOf(parameter) <= byteSizeMax;
    }

    void add(String name, Parameter parameter) {
        long own = byteSizeOf(parameter);
        places.add(new Place(name, parameter, byteSize, own));
        byteSize += (own + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    Kind kind() {
        return kind;
    }

    List<Place> places() {
        return places;
    }

    long byteSize() {
        return byteSize;
    }

    LongStream tensorByteSizes() {
        return kind.isTrained() ? LongStream.of(byteSize, byteSize) : LongStream.of(byteSize);
    }
}
