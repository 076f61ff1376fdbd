package dev.verbena.onnxruntime;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.TensorFacts;
import dev.verbena.graph.onnx.ValueInfo;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * A tensor that goes from one process to others.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param index among all of the plan
 * @param facts what is known of it before the run; its type is
 * @param producer a part, or {@link ModelPlan#CLIENT}
 * @param consumers parts behind that, or the client, each once
 */
public record CrossingTensor(int index, String name, TensorFacts facts, int producer, List<Integer> consumers) {
    /** Keeps a copy of the list of consumers, which must hold no null. */
    public CrossingTensor {
        consumers = List.copyOf(consumers);
    }

    /** Of a tensor of a plan it is always known, and one that ONNX Runtime's Java has. */
    public ElementType type() {
        return facts.elementType().orElseThrow();
    }

    /** Its shape, if that is known before the run: then it is placed statically. */
    public Optional<Shape> shape() {
        return facts.isStatic() ? facts.shape().map(SymbolicShape::toShape) : Optional.empty();
    }

    /** Its shape in an inference whose symbols have these values; empty if only computing it tells. */
    Optional<Shape> shape(Map<String, Long> symbols) {
        return facts.shape().map(each -> each.bind(symbols)).filter(SymbolicShape::isKnown).map(SymbolicShape::toShape);
    }

    /**
     * Whether it may have that type and shape.
     *
     * @param symbols what symbols stand for in an inference; those that this tensor is the first to tell are added
     */
    boolean accepts(ElementType actual, Shape shape, Map<String, Long> symbols) {
        return actual == type() && facts.shape().map(known -> known.accepts(shape, symbols)).orElse(true);
    }

    ValueInfo toValueInfo() {
        return new ValueInfo(name, type().onnxName(), facts.elementType(),
                facts.shape().map(known -> known.dimensions().stream().map(Optional::of).toList()), true);
    }

    @Override
    public String toString() {
        return "'" + name + "' " + facts;
    }
}
