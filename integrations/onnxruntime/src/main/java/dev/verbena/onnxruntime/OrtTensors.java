package dev.verbena.onnxruntime;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Map;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.onnxruntime.library.OrtLibrary;

/**
 * Tensors of ours as ONNX Runtime's: it computes in our memory.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class OrtTensors {
    /** Those that ONNX Runtime's Java has. */
    private static final Map<ElementType, OnnxJavaType> TYPES = Map.of(ElementType.FLOAT32, OnnxJavaType.FLOAT,
            ElementType.FLOAT64, OnnxJavaType.DOUBLE, ElementType.FLOAT16, OnnxJavaType.FLOAT16, ElementType.BFLOAT16,
            OnnxJavaType.BFLOAT16, ElementType.INT8, OnnxJavaType.INT8, ElementType.INT16, OnnxJavaType.INT16,
            ElementType.INT32, OnnxJavaType.INT32, ElementType.INT64, OnnxJavaType.INT64, ElementType.UINT8,
            OnnxJavaType.UINT8, ElementType.BOOL, OnnxJavaType.BOOL);

    private OrtTensors() {}

    static boolean isSupported(ElementType type) {
        return TYPES.containsKey(type);
    }

    /** @throws IllegalArgumentException if it is larger than a buffer can be */
    static void checkByteSize(String name, ElementType type, Shape shape) {
        long byteSize = shape.byteSize(type);
        if (byteSize > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("tensor '" + name + "', " + type + " " + shape + ", has " + byteSize
                    + " bytes; ONNX Runtime's Java takes less than 2 GiB in one tensor: take a smaller batch, or keep it within a part");
        }
    }

    /**
     * The tensor whose elements lie there, for as long as the memory is alive.
     *
     * @param memory native, with as many bytes as the shape says
     */
    static OnnxTensor over(String name, MemorySegment memory, ElementType type, Shape shape) {
        checkByteSize(name, type, shape);
        try {
            return OnnxTensor.createTensor(OrtLibrary.environment(),
                    memory.asByteBuffer().order(ByteOrder.nativeOrder()), shape.dimensions(), TYPES.get(type));
        } catch (OrtException e) {
            throw new PartException("ONNX Runtime does not take '" + name + "', " + type + " " + shape + ": "
                    + e.getMessage(), e);
        }
    }
}
