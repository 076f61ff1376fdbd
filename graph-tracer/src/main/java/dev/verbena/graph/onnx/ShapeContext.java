package dev.verbena.graph.onnx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.OnnxAttribute.Kind;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * A node as its shape function sees it: facts of its inputs, attributes, and what it says of its outputs.
 *
 * <p><b>Owner:</b> the inference. <b>Threading:</b> confined to the call of the shape function.
 */
public final class ShapeContext {
    private final OnnxNode node;
    private final long version;
    /** Null where an optional input is left out. */
    private final List<TensorFacts> inputs;
    private final List<Optional<ElementType>> types = new ArrayList<>();
    private final TensorFacts[] outputs;

    /** @param inputs null where an optional one is left out */
    ShapeContext(OnnxNode node, long version, List<TensorFacts> inputs) {
        this.node = node;
        this.version = version;
        this.inputs = inputs;
        outputs = new TensorFacts[node.outputs().size()];
        for (int i = 0; i < outputs.length; i++) {
            types.add(Optional.empty());
        }
    }

    /** That what was asked for is not known. Without a stack: it is thrown for each tensor that is not. */
    static final class Undetermined extends RuntimeException {
        private static final long serialVersionUID = 1;

        Undetermined(String reason) {
            super(reason, null, false, false);
        }
    }

    /** As the model has it, for what no method here reads: names of tensors, attributes of strings and of graphs. */
    public OnnxNode node() {
        return node;
    }

    /** Of the operator's domain. */
    public long version() {
        return version;
    }

    /** Inputs that the node lists, those that it leaves out by an empty name too; {@link #has} tells them apart. */
    public int inputCount() {
        return inputs.size();
    }

    /** Outputs that the node lists, those that it leaves out by an empty name too; what is said of further ones is ignored. */
    public int outputCount() {
        return outputs.length;
    }

    /** Whether that input is there: optional ones may be left out. */
    public boolean has(int input) {
        return input < inputs.size() && inputs.get(input) != null;
    }

    /** All that is known of an input, counted from 0; throws {@link OnnxException} if it is left out. */
    public TensorFacts facts(int input) {
        if (!has(input)) {
            throw conflict("input " + input + " is left out, and must not be");
        }
        return inputs.get(input);
    }

    /** Of an input's elements; empty if it is not known. Throws {@link OnnxException} if the input is left out. */
    public Optional<ElementType> type(int input) {
        return facts(input).elementType();
    }

    /** Whether more is known of a shape than that there is one. */
    public boolean isRanked(int input) {
        return facts(input).shape().isPresent();
    }

    /** The shape of an input. Ends the function if not even its rank is known. */
    public SymbolicShape shape(int input) {
        TensorFacts facts = facts(input);
        return facts.shape().orElseThrow(() -> new Undetermined(facts.reason().orElseThrow()));
    }

    /** As {@link #shape(int)}, of an input that must have that rank. */
    public SymbolicShape shape(int input, int rank) {
        SymbolicShape shape = shape(input);
        if (shape.rank() != rank) {
            throw conflict("input " + describe(input) + " has shape " + shape + ", where rank " + rank + " belongs");
        }
        return shape;
    }

    /** What is known of the elements of an input, if anything is. */
    public Optional<Contents> contents(int input) {
        return facts(input).contents();
    }

    /** Elements of an input of integers. Ends the function if nothing is known of them. */
    public Contents shapeContents(int input) {
        return contents(input).filter(contents -> !contents.isFloats())
                .orElseThrow(() -> new Undetermined(whyNoContents(input)));
    }

    /** As {@link #shapeContents}, of which each must be a number: axes, for example. */
    public long[] numbers(int input) {
        return shapeContents(input).numbers().orElseThrow(() -> new Undetermined(whyNoContents(input)));
    }

    /** The number in an input of one element. */
    public long number(int input) {
        long[] numbers = numbers(input);
        if (numbers.length != 1) {
            throw conflict("input " + describe(input) + " has " + numbers.length + " elements, where one belongs");
        }
        return numbers[0];
    }

    /** Half a sentence: that a run decides what is in an input. */
    public String whyNoContents(int input) {
        return label() + " takes its shape from what is in '" + node.inputs().get(input)
                + "', which is known only at run time";
    }

    /** Ends the function: what it has not said stays unknown. */
    public RuntimeException undetermined(String reason) {
        return new Undetermined(reason);
    }

    /** What messages call the node. */
    public String label() {
        return node.label();
    }

    private String describe(int input) {
        return input + " '" + node.inputs().get(input) + "'";
    }

    /** Whether the node itself says it, of whatever kind; the operator's default does not count. */
    public boolean hasAttribute(String name) {
        return node.attributes().containsKey(name);
    }

    /** An attribute of one integer, or the default given if the node has none; throws {@link OnnxException} if it is of another kind. */
    public long integer(String name, long otherwise) {
        return (long) attribute(name, Kind.INTEGER).orElse(otherwise);
    }

    /** An attribute of one string, or the default given if the node has none; throws {@link OnnxException} if it is of another kind. */
    public String text(String name, String otherwise) {
        return (String) attribute(name, Kind.STRING).orElse(otherwise);
    }

    /** An attribute of one float; empty if the node has none. Throws {@link OnnxException} if it is of another kind. */
    public Optional<Float> floatingPoint(String name) {
        return attribute(name, Kind.FLOAT).map(value -> (Float) value);
    }

    /** Of floats, as a copy; empty if the node has none. Throws {@link OnnxException} if it is of another kind. */
    public Optional<float[]> floats(String name) {
        return attribute(name, Kind.FLOATS).map(value -> ((float[]) value).clone());
    }

    /** An attribute of integers, as a copy; empty if the node has none. Throws {@link OnnxException} if it is of another kind. */
    public Optional<long[]> integers(String name) {
        return attribute(name, Kind.INTEGERS).map(value -> ((long[]) value).clone());
    }

    /** An attribute of one tensor; empty if the node has none. Throws {@link OnnxException} if it is of another kind. */
    public Optional<OnnxTensor> tensor(String name) {
        return attribute(name, Kind.TENSOR).map(value -> (OnnxTensor) value);
    }

    private Optional<Object> attribute(String name, Kind kind) {
        OnnxAttribute attribute = node.attributes().get(name);
        if (attribute == null) {
            return Optional.empty();
        }
        if (attribute.kind() != kind) {
            throw conflict("attribute '" + name + "' is " + attribute.kind() + ", where " + kind + " belongs");
        }
        return Optional.of(attribute.value());
    }

    /**
     * An axis counted from the front.
     *
     * @param axis from {@code -rank} to {@code rank - 1}
     */
    public int axis(long axis, int rank) {
        if (axis < -rank || axis >= rank) {
            throw conflict("axis=" + axis + " is not in " + -rank + ".." + (rank - 1));
        }
        return (int) (axis < 0 ? axis + rank : axis);
    }

    /** That dimension which two, that must be equal, are: the one of which more is known. */
    public Dimension same(Dimension one, Dimension other, String what) {
        if (one.differsFrom(other)) {
            throw conflict(what + " are " + one + " and " + other + ", and must be equal");
        }
        if (one.isKnown() || other.isKnown()) {
            return one.isKnown() ? one : other;
        }
        return one.isUnknown() && !other.isUnknown() ? other : one;
    }

    /** What shapes are broadcast to, as NumPy does it. */
    public SymbolicShape broadcast(SymbolicShape one, SymbolicShape other) {
        int rank = Math.max(one.rank(), other.rank());
        List<Dimension> dimensions = new ArrayList<>();
        for (int i = 0; i < rank; i++) {
            Dimension left = fromBehind(one, rank - i);
            Dimension right = fromBehind(other, rank - i);
            dimensions.add(left.broadcastWith(right)
                    .orElseThrow(() -> conflict("shapes " + one + " and " + other + " cannot be broadcast: " + left
                            + " and " + right + " differ, and neither is 1")));
        }
        return new SymbolicShape(dimensions);
    }

    private static Dimension fromBehind(SymbolicShape shape, int distance) {
        return distance > shape.rank() ? Dimension.of(1) : shape.dimension(shape.rank() - distance);
    }

    /** Says the type of an output's elements, whatever comes of its shape. */
    public void outputType(int output, Optional<ElementType> type) {
        if (output < outputs.length) {
            types.set(output, type);
        }
    }

    /** As {@link #outputType(int, Optional)}, of a type that is known; to be said before the output's shape. */
    public void outputType(int output, ElementType type) {
        outputType(output, Optional.of(type));
    }

    /** Says the shape of an output whose type has been said. One that the node has not is none. */
    public void output(int output, SymbolicShape shape) {
        output(output, shape, Optional.empty());
    }

    /** As {@link #output(int, SymbolicShape)}; throws {@link OnnxException} if there are over 16 dimensions, or one is negative. */
    public void output(int output, List<Dimension> dimensions) {
        if (dimensions.size() > Shape.RANK_MAX) {
            throw conflict("output " + output + " has rank " + dimensions.size() + "; at most " + Shape.RANK_MAX);
        }
        for (Dimension dimension : dimensions) {
            if (dimension.isNegative()) {
                throw conflict("output " + output + " would have a negative dimension: " + dimensions);
            }
        }
        output(output, new SymbolicShape(dimensions));
    }

    /** With its elements, as far as they are known. They count if there are as many as the shape says. */
    public void output(int output, SymbolicShape shape, Optional<Contents> contents) {
        output(output, shape, contents, Optional.empty());
    }

    /** Each of whose elements is that. */
    public void outputFilled(int output, SymbolicShape shape, long everywhere) {
        boolean isSmall = shape.elementCount().value().orElse(Long.MAX_VALUE) <= Contents.COUNT_MAX;
        output(output, shape, isSmall ? Optional.of(Contents.of(Collections.nCopies(
                (int) shape.elementCount().value().getAsLong(), Optional.of(Dimension.of(everywhere)))))
                : Optional.empty(), Optional.of(everywhere));
    }

    private void output(int output, SymbolicShape shape, Optional<Contents> contents, Optional<Long> everywhere) {
        if (output < outputs.length) {
            Dimension count = shape.elementCount();
            outputs[output] = new TensorFacts(types.get(output), Optional.of(shape),
                    contents.filter(each -> count.is(each.count())), everywhere, Optional.empty());
        }
    }

    /** A dimension of an output that only a run can tell. */
    public Dimension unknown(int output, int axis, String reason) {
        String name = output < outputs.length ? node.outputs().get(output) : label();
        return Dimension.unknown(name + "[" + axis + "]", reason);
    }

    /** That inputs and attributes contradict each other. */
    public OnnxException conflict(String message) {
        return new OnnxException(label(), message);
    }

    /** What has been said of the outputs; what has not been stays unknown for a reason. */
    List<TensorFacts> outputs(String reason) {
        List<TensorFacts> facts = new ArrayList<>();
        for (int i = 0; i < outputs.length; i++) {
            facts.add(outputs[i] != null ? outputs[i] : TensorFacts.unranked(types.get(i), reason));
        }
        return facts;
    }
}
