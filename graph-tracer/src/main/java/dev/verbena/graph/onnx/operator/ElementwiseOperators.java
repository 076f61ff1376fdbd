package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.Contents;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunction;
import dev.verbena.graph.onnx.ShapeFunctions;
import dev.verbena.memory.ElementType;

/**
 * What is done to each element, of one tensor or of several that are broadcast to each other.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class ElementwiseOperators {
    /** The first output is like the first input; elements are not looked at. */
    private static final List<String> LIKE_FIRST = List.of("Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh",
            "BitwiseNot", "Celu", "Clip", "Cos", "Cosh", "CumSum", "Elu", "Erf", "Exp", "Gelu", "GroupNormalization",
            "HardSigmoid", "HardSwish", "Hardmax", "InstanceNormalization", "LRN", "LeakyRelu", "Log", "LogSoftmax",
            "LpNormalization", "MeanVarianceNormalization", "Mish", "PRelu", "Reciprocal", "Relu", "ReverseSequence",
            "RMSNormalization", "Scatter", "ScatterElements", "ScatterND", "Selu", "Shrink", "Sigmoid", "Sign", "Sin",
            "Sinh", "Softmax", "Softplus", "Softsign", "Swish", "Tan", "Tanh", "ThresholdedRelu", "Trilu");
    private static final int BROADCASTING = 7;

    private ElementwiseOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        ShapeFunctions all = functions;
        for (String operator : LIKE_FIRST) {
            all = all.with("", operator, 1, ElementwiseOperators::likeFirst);
        }
        all = all.with("", "Identity", 1, unary(Optional::of, x -> x))
                .with("", "Abs", 1, unary(x -> x.isKnown() ? Optional.of(x.isNegative() ? negated(x) : x)
                        : Optional.of(x).filter(Dimension::isNeverNegative), Math::abs))
                .with("", "Neg", 1, unary(x -> Optional.of(negated(x)), x -> -x))
                .with("", "Floor", 1, unary(null, Math::floor)).with("", "Ceil", 1, unary(null, Math::ceil))
                .with("", "Round", 1, unary(null, Math::rint)).with("", "Sqrt", 1, unary(null, Math::sqrt))
                .with("", "Not", 1, unary(x -> x.isKnown() ? Optional.of(Dimension.of(x.is(0) ? 1 : 0))
                        : Optional.empty(), null))
                .with("", "IsNaN", 1, ElementwiseOperators::test).with("", "IsInf", 1, ElementwiseOperators::test)
                .with("", "Cast", 1, ElementwiseOperators::cast)
                .with("", "CastLike", 1, ElementwiseOperators::castLike)
                .with("", "Dropout", 1, ElementwiseOperators::dropout)
                .with("", "Where", 1, ElementwiseOperators::where);
        all = addArithmetic(all, "Add", (x, y) -> Optional.of(x.plus(y)), (x, y) -> x + y);
        all = addArithmetic(all, "Sub", (x, y) -> Optional.of(x.minus(y)), (x, y) -> x - y);
        all = addArithmetic(all, "Mul", (x, y) -> Optional.of(x.times(y)), (x, y) -> x * y);
        all = addArithmetic(all, "Div", ElementwiseOperators::quotient, (x, y) -> x / y);
        all = addArithmetic(all, "Pow", null, Math::pow);
        for (String operator : List.of("BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor")) {
            all = all.with("", operator, 1, arithmetic(null, null));
        }
        all = all.with("", "Mod", 1, ElementwiseOperators::mod);
        all = addTest(all, "Equal", (x, y) -> Folding.truth(equal(x, y)));
        all = addTest(all, "Less", (x, y) -> Folding.truth(x.isLessThan(y)));
        all = addTest(all, "Greater", (x, y) -> Folding.truth(y.isLessThan(x)));
        all = addTest(all, "LessOrEqual", (x, y) -> Folding.truth(y.isLessThan(x).map(each -> !each)));
        all = addTest(all, "GreaterOrEqual", (x, y) -> Folding.truth(x.isLessThan(y).map(each -> !each)));
        all = addTest(all, "And", (x, y) -> x.isKnown() && y.isKnown() ? Optional.of(x.times(y)) : Optional.empty());
        all = addTest(all, "Or", (x, y) -> x.isKnown() && y.isKnown() ? Optional.of(x.max(y)) : Optional.empty());
        all = addTest(all, "Xor", (x, y) -> x.isKnown() && y.isKnown() ? Folding.truth(Optional.of(!x.equals(y)))
                : Optional.empty());
        for (String operator : List.of("Sum", "Mean")) {
            all = all.with("", operator, 1, variadic(null, null));
        }
        return all.with("", "Max", 1, variadic((x, y) -> Optional.of(x.max(y)), Math::max)).with("", "Min", 1,
                variadic((x, y) -> Optional.of(x.min(y)), Math::min));
    }

    static void likeFirst(ShapeContext node) {
        node.outputType(0, node.type(0));
        node.output(0, node.shape(0));
    }

    private static Dimension negated(Dimension element) {
        return element.times(Dimension.of(-1));
    }

    private static ShapeFunction unary(Folding.Unary integers, DoubleUnaryOperator floats) {
        return node -> {
            node.outputType(0, node.type(0));
            node.output(0, node.shape(0), Folding.unary(node, integers, floats));
        };
    }

    private static void test(ShapeContext node) {
        node.outputType(0, ElementType.BOOL);
        node.output(0, node.shape(0));
    }

    private static ShapeFunctions addArithmetic(ShapeFunctions functions, String operator, Folding.Binary integers,
            DoubleBinaryOperator floats) {
        return functions.with("", operator, 1, ElementwiseOperators::likeFirst).with("", operator, BROADCASTING,
                arithmetic(integers, floats));
    }

    private static ShapeFunction arithmetic(Folding.Binary integers, DoubleBinaryOperator floats) {
        return node -> {
            node.outputType(0, node.type(0));
            SymbolicShape shape = node.broadcast(node.shape(0), node.shape(1));
            node.output(0, shape, Folding.binary(node, 0, 1, shape, integers, floats, node.type(0)));
        };
    }

    private static ShapeFunctions addTest(ShapeFunctions functions, String operator, Folding.Binary integers) {
        return functions.with("", operator, 1, ElementwiseOperators::test).with("", operator, BROADCASTING, node -> {
            node.outputType(0, ElementType.BOOL);
            SymbolicShape shape = node.broadcast(node.shape(0), node.shape(1));
            node.output(0, shape, Folding.binary(node, 0, 1, shape, integers, null, Optional.of(ElementType.BOOL)));
        });
    }

    /** Integers are divided towards 0, which is rounding down only where nothing is negative. */
    private static Optional<Dimension> quotient(Dimension left, Dimension right) {
        if (right.is(0)) {
            return Optional.empty();
        }
        if (left.isKnown() && right.isKnown()) {
            return Optional.of(Dimension.of(left.value().getAsLong() / right.value().getAsLong()));
        }
        Optional<Dimension> exact = left.dividedExactlyBy(right);
        return exact.isPresent() ? exact
                : Optional.of(left.dividedBy(right))
                        .filter(each -> left.isNeverNegative() && right.isNeverNegative());
    }

    private static Optional<Boolean> equal(Dimension left, Dimension right) {
        if (left.equals(right)) {
            return Optional.of(true);
        }
        boolean isOther = left.differsFrom(right) || left.isLessThan(right).orElse(false)
                || right.isLessThan(left).orElse(false);
        return isOther ? Optional.of(false) : Optional.empty();
    }

    private static void mod(ShapeContext node) {
        boolean isTruncated = node.integer("fmod", 0) == 1;
        arithmetic((x, y) -> {
            if (!x.isKnown() || !y.isKnown() || y.is(0)) {
                return Optional.empty();
            }
            long left = x.value().getAsLong();
            long right = y.value().getAsLong();
            return Optional.of(Dimension.of(isTruncated ? left % right : Math.floorMod(left, right)));
        }, null).infer(node);
    }

    /** Any number of inputs; of two, elements are computed too. */
    private static ShapeFunction variadic(Folding.Binary integers, DoubleBinaryOperator floats) {
        return node -> {
            node.outputType(0, node.type(0));
            SymbolicShape shape = node.shape(0);
            for (int i = 1; i < node.inputCount(); i++) {
                shape = node.broadcast(shape, node.shape(i));
            }
            node.output(0, shape, switch (node.inputCount()) {
                case 1 -> node.contents(0);
                case 2 -> Folding.binary(node, 0, 1, shape, integers, floats, node.type(0));
                default -> Optional.empty();
            });
        };
    }

    private static void cast(ShapeContext node) {
        // The first version has names of types.
        Optional<ElementType> type = node.version() < 6 && !node.text("to", "").isEmpty()
                ? Types.ofName(node.text("to", ""))
                : Types.ofCode(node.integer("to", 0));
        cast(node, type);
    }

    private static void castLike(ShapeContext node) {
        cast(node, node.type(1));
    }

    private static void cast(ShapeContext node, Optional<ElementType> type) {
        node.outputType(0, type);
        Optional<Contents> contents = type.flatMap(to -> node.contents(0)
                .flatMap(each -> Folding.cast(each, node.type(0), to)));
        node.output(0, node.shape(0), contents);
    }

    /** Nothing is dropped but in training, whatever shapes are. The mask is boolean since version 10. */
    private static void dropout(ShapeContext node) {
        node.outputType(0, node.type(0));
        node.outputType(1, node.version() < 10 ? node.type(0) : Optional.of(ElementType.BOOL));
        node.output(0, node.shape(0));
        node.output(1, node.shape(0));
    }

    private static void where(ShapeContext node) {
        node.outputType(0, node.type(1));
        SymbolicShape shape = node.broadcast(node.broadcast(node.shape(0), node.shape(1)), node.shape(2));
        node.output(0, shape, chosen(node, shape));
    }

    private static Optional<Contents> chosen(ShapeContext node, SymbolicShape shape) {
        if (!Folding.isSmall(shape) || node.contents(0).isEmpty()) {
            return Optional.empty();
        }
        Contents condition = node.contents(0).get();
        Optional<Contents> left = node.contents(1).filter(each -> !each.isFloats());
        Optional<Contents> right = node.contents(2).filter(each -> !each.isFloats());
        if (left.isEmpty() && right.isEmpty()) {
            return Optional.empty();
        }
        int[] which = Folding.sources(node.shape(0), shape);
        int[] fromLeft = Folding.sources(node.shape(1), shape);
        int[] fromRight = Folding.sources(node.shape(2), shape);
        List<Optional<Dimension>> chosen = new ArrayList<>();
        for (int i = 0; i < which.length; i++) {
            int index = i;
            Optional<Dimension> one = left.flatMap(each -> each.integer(fromLeft[index]));
            Optional<Dimension> other = right.flatMap(each -> each.integer(fromRight[index]));
            chosen.add(condition.integer(which[i]).filter(Dimension::isKnown)
                    .map(each -> each.is(0) ? other : one)
                    .orElse(one.equals(other) ? one : Optional.empty()));
        }
        return Optional.of(Contents.of(chosen));
    }
}
