package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.Contents;
import dev.verbena.graph.onnx.OnnxTensor;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunctions;
import dev.verbena.memory.ElementType;

/**
 * What makes tensors out of nothing but attributes, shapes and numbers.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class SourceOperators {
    private SourceOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        return functions.with("", "Constant", 1, SourceOperators::constant)
                .with("", "ConstantOfShape", 9, SourceOperators::constantOfShape)
                .with("", "Shape", 1, SourceOperators::shape).with("", "Size", 1, SourceOperators::size)
                .with("", "Range", 11, SourceOperators::range).with("", "EyeLike", 9, SourceOperators::eyeLike)
                .with("", "RandomNormal", 1, SourceOperators::random)
                .with("", "RandomUniform", 1, SourceOperators::random)
                .with("", "RandomNormalLike", 1, SourceOperators::randomLike)
                .with("", "RandomUniformLike", 1, SourceOperators::randomLike)
                .with("", "Bernoulli", 15, SourceOperators::randomLike);
    }

    private static void constant(ShapeContext node) {
        Optional<OnnxTensor> tensor = node.tensor("value");
        if (tensor.isPresent()) {
            node.outputType(0, tensor.get().elementType());
            Optional<Contents> integers = tensor.get().integers(Contents.COUNT_MAX).map(Contents::ofIntegers);
            node.output(0, SymbolicShape.of(tensor.get().shape().dimensions()), integers
                    .or(() -> tensor.get().floats(Contents.COUNT_MAX).map(Contents::ofFloats)));
        } else if (node.hasAttribute("value_int")) {
            node.outputType(0, ElementType.INT64);
            node.output(0, SymbolicShape.SCALAR, Optional.of(Contents.ofIntegers(node.integer("value_int", 0))));
        } else if (node.hasAttribute("value_ints")) {
            long[] integers = node.integers("value_ints").orElseThrow();
            node.outputType(0, ElementType.INT64);
            node.output(0, SymbolicShape.of(integers.length), integers.length > Contents.COUNT_MAX ? Optional.empty()
                    : Optional.of(Contents.ofIntegers(integers)));
        } else if (node.hasAttribute("value_float")) {
            node.outputType(0, ElementType.FLOAT32);
            node.output(0, SymbolicShape.SCALAR,
                    node.floatingPoint("value_float").map(number -> Contents.ofFloats(number)));
        } else if (node.hasAttribute("value_floats")) {
            float[] floats = node.floats("value_floats").orElseThrow();
            node.outputType(0, ElementType.FLOAT32);
            double[] doubles = new double[Math.min(floats.length, Contents.COUNT_MAX)];
            Arrays.setAll(doubles, i -> floats[i]);
            node.output(0, SymbolicShape.of(floats.length), Optional.of(Contents.ofFloats(doubles)));
        } else {
            throw node.undetermined(node.label() + " is neither a tensor nor a number");
        }
    }

    private static void constantOfShape(ShapeContext node) {
        Optional<OnnxTensor> value = node.tensor("value");
        node.outputType(0, value.isPresent() ? value.get().elementType() : Optional.of(ElementType.FLOAT32));
        SymbolicShape shape = LayoutOperators.shapeOf(node, 0);
        Optional<long[]> integers = value.flatMap(each -> each.integers(1)).filter(each -> each.length == 1);
        if (integers.isPresent()) {
            node.outputFilled(0, shape, integers.get()[0]);
        } else {
            node.output(0, shape);
        }
    }

    /** Since version 15 of some dimensions. */
    private static void shape(ShapeContext node) {
        node.outputType(0, ElementType.INT64);
        List<Dimension> dimensions = node.shape(0).dimensions();
        int rank = dimensions.size();
        int start = clamped(node.integer("start", 0), rank);
        int end = clamped(node.integer("end", rank), rank);
        List<Dimension> some = dimensions.subList(start, Math.max(start, end));
        node.output(0, SymbolicShape.of(some.size()),
                Optional.of(Contents.of(some.stream().map(Optional::of).toList())));
    }

    private static int clamped(long axis, int rank) {
        return Math.clamp(axis < 0 ? axis + rank : axis, 0, rank);
    }

    private static void size(ShapeContext node) {
        node.outputType(0, ElementType.INT64);
        Dimension count = node.shape(0).elementCount();
        node.output(0, SymbolicShape.SCALAR, Optional.of(Contents.of(List.of(Optional.of(count)))));
    }

    private static void range(ShapeContext node) {
        node.outputType(0, node.type(0));
        Contents[] bounds = new Contents[3];
        for (int i = 0; i < bounds.length; i++) {
            int input = i;
            bounds[i] = node.contents(i).filter(each -> each.count() == 1).orElse(null);
            if (bounds[i] == null) {
                node.output(0, SymbolicShape.of(node.unknown(0, 0, node.whyNoContents(input))));
                return;
            }
        }
        if (Arrays.stream(bounds).allMatch(Contents::isFloats)) {
            double[] numbers = Arrays.stream(bounds).mapToDouble(each -> each.floats().get()[0]).toArray();
            double count = Math.max(0, Math.ceil((numbers[1] - numbers[0]) / numbers[2]));
            if (!(count < Long.MAX_VALUE)) {
                throw node.conflict("a range from " + numbers[0] + " to " + numbers[1] + " by " + numbers[2]);
            }
            node.output(0, SymbolicShape.of((long) count));
            return;
        }
        Optional<Dimension> start = bounds[0].integer(0);
        Optional<Dimension> limit = bounds[1].integer(0);
        Optional<Dimension> delta = bounds[2].integer(0);
        if (start.isEmpty() || limit.isEmpty() || delta.isEmpty()) {
            int open = start.isEmpty() ? 0 : limit.isEmpty() ? 1 : 2;
            node.output(0, SymbolicShape.of(node.unknown(0, 0, node.whyNoContents(open))));
            return;
        }
        if (delta.get().is(0)) {
            throw node.conflict("a range in steps of 0");
        }
        Dimension count = limit.get().minus(start.get()).dividedUpBy(delta.get()).max(Dimension.of(0));
        node.output(0, SymbolicShape.of(count), elements(start.get(), delta.get(), count));
    }

    private static Optional<Contents> elements(Dimension start, Dimension delta, Dimension count) {
        if (!count.isKnown() || count.value().getAsLong() > Contents.COUNT_MAX) {
            return Optional.empty();
        }
        List<Optional<Dimension>> elements = new ArrayList<>();
        for (long i = 0; i < count.value().getAsLong(); i++) {
            elements.add(Optional.of(start.plus(delta.times(Dimension.of(i)))));
        }
        return Optional.of(Contents.of(elements));
    }

    private static void eyeLike(ShapeContext node) {
        node.outputType(0, node.hasAttribute("dtype") ? Types.ofCode(node.integer("dtype", 0)) : node.type(0));
        node.output(0, node.shape(0, 2));
    }

    private static void random(ShapeContext node) {
        node.outputType(0, Types.ofCode(node.integer("dtype", 1)));
        long[] shape = node.integers("shape").orElseThrow(() -> node.conflict("attribute 'shape' is missing"));
        node.output(0, Arrays.stream(shape).mapToObj(Dimension::of).toList());
    }

    private static void randomLike(ShapeContext node) {
        node.outputType(0, node.hasAttribute("dtype") ? Types.ofCode(node.integer("dtype", 0)) : node.type(0));
        node.output(0, node.shape(0));
    }
}
