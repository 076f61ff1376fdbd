package dev.verbena.graph.onnx;

/**
 * Says what is known of an operator's outputs by what is known of its inputs. It may ask for what is not known: then what it has not said yet
 * stays unknown, for the reason why what it asked for is. So it says types first, which need least.
 *
 * <p>It is monotone: of inputs that are known better, outputs are not known less.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> thread-safe.
 */
@FunctionalInterface
public interface ShapeFunction {
    /** @throws OnnxException by {@link ShapeContext#conflict}, if such inputs cannot be */
    void infer(ShapeContext node);
}
