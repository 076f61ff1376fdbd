package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.Contents;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunctions;
import dev.verbena.memory.ElementType;

/**
 * What makes one element of many, along some dimensions.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class ReductionOperators {
    private static final List<String> REDUCTIONS = List.of("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
            "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare");
    private static final int AXES_AS_INPUT = 18;
    private static final int AXES_OF_SUM_AS_INPUT = 13;

    private ReductionOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        ShapeFunctions all = functions;
        for (String operator : REDUCTIONS) {
            all = all.with("", operator, 1, node -> reduce(node, node.integers("axes")))
                    .with("", operator, operator.equals("ReduceSum") ? AXES_OF_SUM_AS_INPUT : AXES_AS_INPUT,
                            ReductionOperators::reduce);
        }
        return all.with("", "ArgMax", 1, ReductionOperators::argument)
                .with("", "ArgMin", 1, ReductionOperators::argument);
    }

    private static void reduce(ShapeContext node) {
        node.outputType(0, node.type(0));
        if (node.has(1) && node.contents(1).flatMap(Contents::numbers).isEmpty()) {
            if (node.integer("keepdims", 1) == 0) {
                throw node.undetermined(node.whyNoContents(1));
            }
            // Each dimension may be reduced, and stays.
            List<Dimension> dimensions = new ArrayList<>();
            for (int i = 0; i < node.shape(0).rank(); i++) {
                dimensions.add(node.shape(0).dimension(i).is(1) ? Dimension.of(1)
                        : node.unknown(0, i, node.whyNoContents(1)));
            }
            node.output(0, dimensions);
            return;
        }
        reduce(node, node.has(1) ? Optional.of(node.numbers(1)) : Optional.empty());
    }

    private static void reduce(ShapeContext node, Optional<long[]> axes) {
        node.outputType(0, node.type(0));
        boolean isNothing = axes.map(each -> each.length == 0).orElse(true);
        if (isNothing && node.integer("noop_with_empty_axes", 0) != 0) {
            node.output(0, node.shape(0));
            return;
        }
        boolean keeps = node.integer("keepdims", 1) != 0;
        if (isNothing && !keeps) {
            node.output(0, SymbolicShape.SCALAR, reduced(node));
            return;
        }
        SymbolicShape input = node.shape(0);
        Set<Integer> gone = new HashSet<>();
        if (isNothing) {
            for (int i = 0; i < input.rank(); i++) {
                gone.add(i);
            }
        } else {
            Arrays.stream(axes.get()).forEach(axis -> gone.add(node.axis(axis, input.rank())));
        }
        List<Dimension> dimensions = new ArrayList<>();
        for (int i = 0; i < input.rank(); i++) {
            if (!gone.contains(i)) {
                dimensions.add(input.dimension(i));
            } else if (keeps) {
                dimensions.add(Dimension.of(1));
            }
        }
        node.output(0, new SymbolicShape(dimensions), gone.size() == input.rank() ? reduced(node) : Optional.empty());
    }

    /** Sizes are products of dimensions, now and then sums and extremes. */
    private static Optional<Contents> reduced(ShapeContext node) {
        BinaryOperator<Dimension> operator = switch (node.node().operator()) {
            case "ReduceProd" -> Dimension::times;
            case "ReduceSum" -> Dimension::plus;
            case "ReduceMax" -> Dimension::max;
            case "ReduceMin" -> Dimension::min;
            default -> null;
        };
        Contents contents = node.contents(0).orElse(null);
        if (operator == null || contents == null || contents.isFloats() || contents.count() == 0
                || contents.integers().stream().anyMatch(Optional::isEmpty)) {
            return Optional.empty();
        }
        Dimension all = contents.integers().stream().map(Optional::get).reduce(operator).get();
        return Optional.of(Folding.fitted(List.of(Optional.of(all)), node.type(0)));
    }

    private static void argument(ShapeContext node) {
        node.outputType(0, ElementType.INT64);
        SymbolicShape input = node.shape(0);
        int axis = node.axis(node.integer("axis", 0), Math.max(1, input.rank()));
        List<Dimension> dimensions = new ArrayList<>(input.dimensions());
        if (!dimensions.isEmpty()) {
            dimensions.remove(axis);
            if (node.integer("keepdims", 1) != 0) {
                dimensions.add(axis, Dimension.of(1));
            }
        }
        node.output(0, dimensions);
    }
}
