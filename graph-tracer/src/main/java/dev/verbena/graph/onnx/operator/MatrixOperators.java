package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunctions;
import dev.verbena.memory.ElementType;

/**
 * Products of matrices.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class MatrixOperators {
    private MatrixOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        return functions.with("", "MatMul", 1, node -> product(node, 0, 1, node.type(0)))
                .with("", "MatMulInteger", 10, node -> product(node, 0, 1, Optional.of(ElementType.INT32)))
                .with("", "QLinearMatMul", 10, node -> product(node, 0, 3, node.type(7)))
                .with("", "Gemm", 1, MatrixOperators::gemm).with("", "Einsum", 12, node -> new Einsum(node).infer());
    }

    /** A vector on the left is a row, one on the right a column; of what lies outside the last two dimensions, each is broadcast. */
    private static void product(ShapeContext node, int left, int right, Optional<ElementType> type) {
        node.outputType(0, type);
        SymbolicShape one = node.shape(left);
        SymbolicShape other = node.shape(right);
        if (one.rank() == 0 || other.rank() == 0) {
            throw node.conflict("a product of " + one + " and " + other + ": neither may be a scalar");
        }
        boolean isRow = one.rank() == 1;
        boolean isColumn = other.rank() == 1;
        node.same(one.dimension(one.rank() - 1), other.dimension(isColumn ? 0 : other.rank() - 2),
                "columns of " + one + " and rows of " + other);
        List<Dimension> dimensions = new ArrayList<>(node.broadcast(outer(one), outer(other)).dimensions());
        if (!isRow) {
            dimensions.add(one.dimension(one.rank() - 2));
        }
        if (!isColumn) {
            dimensions.add(other.dimension(other.rank() - 1));
        }
        node.output(0, dimensions);
    }

    private static SymbolicShape outer(SymbolicShape shape) {
        return new SymbolicShape(shape.dimensions().subList(0, Math.max(0, shape.rank() - 2)));
    }

    private static void gemm(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape one = node.shape(0, 2);
        SymbolicShape other = node.shape(1, 2);
        int fromLeft = node.integer("transA", 0) != 0 ? 1 : 0;
        int fromRight = node.integer("transB", 0) != 0 ? 0 : 1;
        node.same(one.dimension(1 - fromLeft), other.dimension(1 - fromRight),
                "what is summed over, of " + one + " and " + other + ",");
        SymbolicShape product = SymbolicShape.of(one.dimension(fromLeft), other.dimension(fromRight));
        if (node.has(2) && node.isRanked(2)) {
            SymbolicShape sum = node.broadcast(product, node.shape(2));
            boolean isLarger = sum.rank() > 2 || sum.dimension(0).differsFrom(product.dimension(0))
                    || sum.dimension(1).differsFrom(product.dimension(1));
            if (isLarger) {
                throw node.conflict("what is added has shape " + node.shape(2) + ", the product " + product);
            }
        }
        node.output(0, product);
    }
}
