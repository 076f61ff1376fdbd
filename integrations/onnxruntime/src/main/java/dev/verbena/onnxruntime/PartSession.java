package dev.verbena.onnxruntime;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxTensorLike;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import dev.verbena.memory.Tensor;
import dev.verbena.onnxruntime.library.OrtLibrary;

/**
 * A session of ONNX Runtime.
 *
 * <p><b>Owner:</b> who made it. <b>Threading:</b> confined to its owner.
 */
final class PartSession implements AutoCloseable {
    private final String what;
    private final SessionOptions options;
    private final Map<String, OnnxTensorLike> weights = new HashMap<>();
    private final OrtSession session;

    private interface Making {
        OrtSession make(SessionOptions options) throws OrtException;
    }

    private PartSession(String what, PartOptions with, Map<String, Tensor> given, Making making) {
        this.what = what;
        load();
        given.forEach((name, weight) -> weights.put(name,
                OrtTensors.over(name, weight.memory(), weight.type(), weight.shape())));
        options = new SessionOptions();
        try {
            options.setIntraOpNumThreads(with.threads());
            options.setInterOpNumThreads(1);
            options.setOptimizationLevel(with.optimization().level());
            // Processes share the cores: a thread that waits for work is not to keep another process from one.
            options.addConfigEntry("session.intra_op.allow_spinning", "0");
            if (!weights.isEmpty()) {
                options.addExternalInitializers(weights);
            }
            session = making.make(options);
        } catch (OrtException e) {
            close(null);
            throw new PartException("ONNX Runtime does not take " + what + ": " + e.getMessage(), e);
        }
    }

    private static void load() {
        try {
            OrtLibrary.environment();
        } catch (UnsatisfiedLinkError e) {
            throw new PartException(e.getMessage(), e);
        }
    }

    /** @param weights that the model has not; they outlive the session */
    static PartSession of(String what, byte[] model, Map<String, Tensor> weights, PartOptions with) {
        return new PartSession(what, with, weights, options -> OrtLibrary.environment().createSession(model, options));
    }

    static PartSession of(Path model, PartOptions with) {
        return new PartSession(String.valueOf(model.getFileName()), with, Map.of(),
                options -> OrtLibrary.environment().createSession(model.toString(), options));
    }

    /**
     * @param pinned outputs that are computed where these lie
     * @param free outputs that ONNX Runtime allocates, in the result until that is closed
     */
    OrtSession.Result run(Map<String, OnnxTensor> inputs, Map<String, OnnxTensor> pinned, Set<String> free) {
        try {
            return session.run(inputs, free, pinned);
        } catch (OrtException e) {
            throw new PartException(what + " cannot be run: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        close(session);
    }

    private void close(OrtSession open) {
        try {
            if (open != null) {
                open.close();
            }
        } catch (OrtException e) {
            throw new PartException(what + " cannot be closed: " + e.getMessage(), e);
        } finally {
            options.close();
            weights.values().forEach(OnnxTensorLike::close);
        }
    }
}
