package dev.verbena.onnxruntime;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.onnx.OnnxTensor;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * A model's weights in an arena of this process, each loaded when the first session needs it, and once for all sessions. ONNX Runtime uses
 * them where they are, and makes other forms of some for itself as it sees fit.
 *
 * <p><b>Owner:</b> who made it; closed behind the sessions that it was given to. <b>Threading:</b> thread-safe.
 */
public final class ModelWeights implements AutoCloseable {
    /** Shapes and scalars are looked at before a session is given anything: they stay in its model. */
    private static final long KEPT_BYTE_SIZE_MAX = 1024;
    private static final long BYTE_SIZE_MAX = 1L << 46;

    private final OnnxModel model;
    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 0, BYTE_SIZE_MAX);
    private final Map<String, Tensor> loaded = new HashMap<>();

    private ModelWeights(OnnxModel model) {
        this.model = model;
    }

    /** None of them loaded yet. */
    public static ModelWeights of(OnnxModel model) {
        return new ModelWeights(model);
    }

    /** Whether a session is given that initializer, and its model does not have its elements. */
    boolean gives(OnnxTensor weight) {
        return weight.elementType().filter(OrtTensors::isSupported).isPresent()
                && weight.shape().byteSize(weight.elementType().get()) > KEPT_BYTE_SIZE_MAX
                && (weight.raw().isPresent() || weight.external().isPresent());
    }

    /** The weight, loaded if it is not yet. */
    synchronized Tensor tensor(String name) {
        return loaded.computeIfAbsent(name, _ -> load(model.graph().initializers().get(name)));
    }

    private Tensor load(OnnxTensor weight) {
        ElementType type = weight.elementType().orElseThrow();
        OrtTensors.checkByteSize(weight.name(), type, weight.shape());
        try {
            Optional<MemorySegment> elements = weight.bytes();
            Tensor tensor = arena.allocate(type, weight.shape());
            if (elements.orElseThrow().byteSize() != tensor.byteSize()) {
                tensor.close();
                throw new IllegalArgumentException(
                        "initializer '" + weight.name() + "' is " + type + " " + weight.shape()
                                + " and has " + elements.get().byteSize() + " bytes");
            }
            tensor.memory().copyFrom(elements.get());
            return tensor;
        } catch (IOException e) {
            throw new PartException("weights of '" + weight.name() + "' cannot be read: " + e.getMessage(), e);
        }
    }

    /** Bytes of all that are loaded. */
    public synchronized long byteSize() {
        return loaded.values().stream().mapToLong(Tensor::byteSize).sum();
    }

    @Override
    public synchronized void close() {
        loaded.values().forEach(Tensor::close);
        loaded.clear();
        arena.close();
    }
}
