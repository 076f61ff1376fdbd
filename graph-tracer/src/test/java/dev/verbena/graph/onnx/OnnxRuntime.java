package dev.verbena.graph.onnx;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import ai.onnxruntime.TensorInfo;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.onnxruntime.library.OrtLibrary;

/** What ONNX Runtime computes: shapes, and what is in tensors of integers. */
final class OnnxRuntime {
    /** Of one tensor. {@code integers} is null unless it is INT64. */
    record Computed(ElementType type, Shape shape, long[] integers) {}

    private OnnxRuntime() {}

    /** Of each of the outputs that are named, and which the model need not call outputs: a message appended to one is merged with it. */
    static Map<String, Computed> run(byte[] model, Set<String> outputs, Map<String, OnnxTensor> inputs)
            throws OrtException {
        ProtoWriter graph = new ProtoWriter();
        Set<String> declared = new HashSet<>();
        TestModel.read(model).graph().outputs().forEach(output -> declared.add(output.name()));
        outputs.stream().filter(output -> !declared.contains(output))
                .forEach(output -> graph.message(12, new ProtoWriter().text(1, output)));
        ByteArrayOutputStream merged = new ByteArrayOutputStream();
        merged.writeBytes(model);
        merged.writeBytes(new ProtoWriter().message(7, graph).toBytes());
        try (SessionOptions options = new SessionOptions()) {
            options.setOptimizationLevel(SessionOptions.OptLevel.NO_OPT);
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
            options.setIntraOpNumThreads(1);
            try (OrtSession session = OrtLibrary.environment().createSession(merged.toByteArray(), options);
                    OrtSession.Result result = session.run(inputs, outputs)) {
                Map<String, Computed> computed = new LinkedHashMap<>();
                for (Map.Entry<String, OnnxValue> output : result) {
                    computed.put(output.getKey(), computed((OnnxTensor) output.getValue()));
                }
                return computed;
            }
        } finally {
            inputs.values().forEach(OnnxTensor::close);
        }
    }

    private static Computed computed(OnnxTensor tensor) {
        TensorInfo info = tensor.getInfo();
        boolean isInteger = info.type == OnnxJavaType.INT64;
        long[] integers = isInteger ? new long[(int) info.getNumElements()] : null;
        if (isInteger) {
            tensor.getLongBuffer().get(integers);
        }
        return new Computed(
                ElementType.ofOnnxName(info.onnxType.name().replaceFirst("^ONNX_TENSOR_ELEMENT_DATA_TYPE_", "")),
                Shape.of(info.getShape()), integers);
    }

    /** Of zeros. */
    static OnnxTensor zeros(ElementType type, long... dimensions) throws OrtException {
        ByteBuffer bytes = ByteBuffer.allocateDirect((int) Shape.of(dimensions).byteSize(type))
                .order(ByteOrder.nativeOrder());
        return OnnxTensor.createTensor(OrtLibrary.environment(), bytes, dimensions, javaType(type));
    }

    static OnnxTensor integers(Shape shape, long... elements) throws OrtException {
        return OnnxTensor.createTensor(OrtLibrary.environment(), LongBuffer.wrap(elements), shape.dimensions());
    }

    private static OnnxJavaType javaType(ElementType type) {
        return switch (type) {
            case FLOAT32 -> OnnxJavaType.FLOAT;
            case FLOAT64 -> OnnxJavaType.DOUBLE;
            case INT64 -> OnnxJavaType.INT64;
            case INT32 -> OnnxJavaType.INT32;
            case INT8 -> OnnxJavaType.INT8;
            case UINT8 -> OnnxJavaType.UINT8;
            case BOOL -> OnnxJavaType.BOOL;
            default -> throw new IllegalArgumentException(type.toString());
        };
    }

    static Map<String, OnnxTensor> none() {
        return new HashMap<>();
    }
}
