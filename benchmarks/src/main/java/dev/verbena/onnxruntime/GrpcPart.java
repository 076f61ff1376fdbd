package dev.verbena.onnxruntime;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtSession;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** What {@link PartRunner} is, by gRPC: the same session, which computes into memory that is there already. Shapes are known before the run. */
final class GrpcPart implements AutoCloseable {
    private final GrpcEnd end;
    private final List<CrossingTensor> inputs;
    private final List<CrossingTensor> outputs;
    private final PartSession session;
    private final Map<String, ByteBuffer> computed = new HashMap<>();
    private long inference;

    GrpcPart(ModelPlan plan, int part, GrpcEnd end, ModelWeights weights, PartOptions options) {
        this.end = end;
        inputs = plan.inputs(part);
        outputs = plan.outputs(part);
        Map<String, Tensor> given = new HashMap<>();
        plan.partitioning().parts().get(part).initializers().stream()
                .filter(name -> weights.gives(plan.model().graph().initializers().get(name)))
                .forEach(name -> given.put(name, weights.tensor(name)));
        session = PartSession.of("part " + part, plan.cut(part, weights), given, options);
        outputs.forEach(each -> computed.put(each.name(), ByteBuffer.allocateDirect(byteSize(each))));
    }

    static int byteSize(CrossingTensor tensor) {
        Shape shape = tensor.shape().orElseThrow(
                () -> new IllegalArgumentException(tensor + " has a shape that is open; this benchmark takes none"));
        return Math.toIntExact(shape.byteSize(tensor.type()));
    }

    /** Does its part of the next inference; false if that has not come in time. */
    boolean infer(long timeoutMs) throws InterruptedException {
        Map<Integer, ByteBuffer> arrived = end.take(inference, inputs.size(), timeoutMs);
        if (arrived == null) {
            return false;
        }
        Map<String, OnnxTensor> given = new HashMap<>();
        Map<String, OnnxTensor> pinned = new HashMap<>();
        try {
            inputs.forEach(each -> given.put(each.name(), over(each, arrived.get(each.index()))));
            outputs.forEach(each -> pinned.put(each.name(), over(each, computed.get(each.name()))));
            try (OrtSession.Result _ = session.run(given, pinned, Set.of())) {
                outputs.forEach(each -> end.give(each, inference, computed.get(each.name())));
            }
        } finally {
            given.values().forEach(OnnxTensor::close);
            pinned.values().forEach(OnnxTensor::close);
        }
        inference++;
        return true;
    }

    private static OnnxTensor over(CrossingTensor tensor, ByteBuffer bytes) {
        return OrtTensors.over(tensor.name(), MemorySegment.ofBuffer(bytes), tensor.type(),
                tensor.shape().orElseThrow());
    }

    @Override
    public void close() {
        session.close();
    }
}
