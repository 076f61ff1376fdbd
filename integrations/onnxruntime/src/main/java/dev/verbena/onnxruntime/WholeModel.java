package dev.verbena.onnxruntime;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtSession;
import dev.verbena.memory.Tensor;

/**
 * A model in one session of this process, as its file is: what its parts are compared with.
 *
 * <p><b>Owner:</b> who opened it. <b>Threading:</b> confined to its owner.
 */
public final class WholeModel implements AutoCloseable {
    private final PartSession session;
    private final Set<String> outputs;

    private WholeModel(PartSession session, Set<String> outputs) {
        this.session = session;
        this.outputs = outputs;
    }

    /** @throws PartException if ONNX Runtime cannot be loaded or refuses the model */
    public static WholeModel open(Path file, ModelPlan plan, PartOptions options) {
        Set<String> outputs = new LinkedHashSet<>();
        plan.inputs(ModelPlan.CLIENT).forEach(each -> outputs.add(each.name()));
        return new WholeModel(PartSession.of(file, options), outputs);
    }

    /** The bytes of the outputs, by name, on the Java heap. */
    public Map<String, byte[]> infer(Map<String, Tensor> inputs) {
        Map<String, OnnxTensor> given = new HashMap<>();
        try {
            inputs.forEach((name, input) -> given.put(name,
                    OrtTensors.over(name, input.memory(), input.type(), input.shape())));
            Map<String, byte[]> computed = new LinkedHashMap<>();
            try (OrtSession.Result result = session.run(given, Map.of(), outputs)) {
                for (Map.Entry<String, OnnxValue> output : result) {
                    computed.put(output.getKey(),
                            MemorySegment.ofBuffer(((OnnxTensor) output.getValue()).getByteBuffer())
                                    .toArray(ValueLayout.JAVA_BYTE));
                }
            }
            return computed;
        } finally {
            given.values().forEach(OnnxTensor::close);
        }
    }

    @Override
    public void close() {
        session.close();
    }
}
