package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;

/** What is done to each element, reductions, products and normalization. */
class ElementwiseOperatorsTest extends ComparedOperators {
    @Test
    void unary() {
        for (String operator : List.of("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Celu", "Clip",
                "Cos", "Cosh", "Elu", "Erf", "Exp", "Floor", "HardSigmoid", "HardSwish", "Hardmax", "Identity",
                "LeakyRelu", "Log", "LogSoftmax", "LpNormalization", "Neg", "Reciprocal", "Relu", "Round", "Selu",
                "Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh",
                "ThresholdedRelu", "Dropout", "IsNaN", "IsInf")) {
            check("[N, 6]", matrix(14).node(operator, "x", "y"));
        }
        check("[N, 6]", matrix(20).node("Gelu", "x", "y"));
        check("[N, 6]", matrix(18).node("Mish", "x", "y"));
        check("[N, 6]", matrix(14).node("Trilu", "x", "y"));
        check("[N, 6]", matrix(14).scalar("a", 1).node("CumSum", "x,a", "y"));
        check("[N, 6]", matrix(14).input("s", F, 6).node("PRelu", "x,s", "y"));
        check("[N, 6]", TestModel.of(14).input("x", ElementType.BOOL, "N", 6).node("Not", "x", "y"));
        check("[N, 6]", TestModel.of(18).input("x", I, "N", 6).node("BitwiseNot", "x", "y"));
        check("[N, 6]", matrix(14).node("Cast", "x", "y", "to", 7));
        check("[N, 6]", matrix(15).input("z", I, 1).node("CastLike", "x,z", "y"));
        check("[N, 4, H, W]", image(13).node("LRN", "x", "y", "size", 3));
        check("[N, 4, H, W]", image(13).node("MeanVarianceNormalization", "x", "y"));
        check("[N, 6]; [N, 6]", matrix(13).node("Dropout", "x", "y,m"));
        check("[N, 6]; [N, 6]", matrix(10).node("Dropout", "x", "y,m"));
        check("[N, 6]", matrix(10).input("i", I, 1, 3).input("u", F, 1, 3).node("Scatter", "x,i,u", "y"));
        checkInferred("[N, 6]", matrix(24).node("Swish", "x", "y"));
        check("[N, 6]", matrix(10).input("l", I, 6).node("ReverseSequence", "x,l", "y"));
    }

    @Test
    void binary() {
        for (String operator : List.of("Add", "Sub", "Mul", "Div", "Pow", "Equal", "Less", "Greater", "LessOrEqual",
                "GreaterOrEqual", "Max", "Min", "Sum", "Mean")) {
            check("[N, 6]", matrix(16).input("z", F, 6).node(operator, "x,z", "y"));
        }
        check("[M, N, 6]", matrix(14).input("z", F, "M", 1, 6).node("Add", "x,z", "y"));
        check("[N, 6]", matrix(14).input("z", F, 1, 1).node("Add", "z,x", "y"));
        checkInferred("[N, 6]", matrix(6).input("z", F, 6).node("Add", "x,z", "y", "broadcast", 1));
        check("[N, 6]", matrix(14).input("z", F, "N", 1).node("Mul", "x,z", "y"));
        for (String operator : List.of("And", "Or", "Xor")) {
            check("[N, 6]", TestModel.of(14).input("x", ElementType.BOOL, "N", 6).input("z", ElementType.BOOL, 1, 6)
                    .node(operator, "x,z", "y"));
        }
        for (String operator : List.of("BitwiseAnd", "BitwiseOr", "BitwiseXor")) {
            check("[N, 6]", TestModel.of(18).input("x", I, "N", 6).input("z", I, 1, 6).node(operator, "x,z", "y"));
        }
        check("[N, 6]", TestModel.of(14).input("x", ElementType.UINT8, "N", 6).input("z", ElementType.UINT8, 1, 6)
                .node("BitShift", "x,z", "y", "direction", "LEFT"));
        check("[N, 6]", matrix(14).input("z", F, 6).node("Mod", "x,z", "y", "fmod", 1));
        check("[N, M, 6]",
                TestModel.of(14).input("c", ElementType.BOOL, "N", 1, 1).input("x", F, "M", 1).input("z", F, 6)
                        .node("Where", "c,x,z", "y"));
        check("[N, 6]", matrix(14).input("a", F, 6).input("b", F, 1, 1).node("Sum", "x,a,b", "y"));
    }

    /** Which of two symbols is 1, or whether they are equal, is not known: ONNX Runtime refuses 2 and 3. */
    @Test
    void symbolsAreBroadcast() {
        TestModel model = TestModel.of(14).input("x", F, "N", 6).input("z", F, "M", 6).node("Add", "x,z", "y");
        assertEquals("[broadcast(M, N), 6]",
                model.infer().tensor("y").shape().get().toString());
    }

    @Test
    void reductions() {
        for (String operator : List.of("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
                "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare")) {
            check("[N, 1, H, 1]", image(11).node(operator, "x", "y", "axes", longs(1, -1)));
            check("[N, H]", image(11).node(operator, "x", "y", "axes", longs(1, -1), "keepdims", 0));
            check("[1, 1, 1, 1]", image(11).node(operator, "x", "y"));
            check("[]", image(11).node(operator, "x", "y", "keepdims", 0));
            check("[N, 4]", image(18).integers("a", 2, 3).node(operator, "x,a", "y", "keepdims", 0));
            // ONNX Runtime 1.23 fails to run it.
            checkInferred("[N, 4, H, W]", image(18).node(operator, "x", "y", "noop_with_empty_axes", 1));
        }
        check("[N, 4]", image(13).integers("a", 2, 3).node("ReduceSum", "x,a", "y", "keepdims", 0));
        check("[N, 1, H, W]", image(13).node("ArgMax", "x", "y", "axis", 1));
        check("[N, 4, H]", image(13).node("ArgMin", "x", "y", "axis", -1, "keepdims", 0));
    }

    @Test
    void products() {
        check("[N, 5]", matrix(13).zeros("w", F, 6, 5).node("MatMul", "x,w", "y"));
        check("[N]", matrix(13).zeros("w", F, 6).node("MatMul", "x,w", "y"));
        check("[6]", TestModel.of(13).input("x", F, "N").input("w", F, "N", 6).node("MatMul", "x,w", "y"));
        check("[]", TestModel.of(13).input("x", F, "N").input("w", F, "N").node("MatMul", "x,w", "y"));
        check("[N, 12, S, S]", TestModel.of(13).input("q", F, "N", 12, "S", 8).input("k", F, "N", 12, 8, "S")
                .node("MatMul", "q,k", "y"));
        check("[N, M, S, 4]", TestModel.of(13).input("q", F, "N", 1, "S", 8).input("k", F, "M", 8, 4).node("MatMul",
                "q,k", "y"));
        check("[N, 5]", matrix(13).zeros("w", F, 6, 5).zeros("b", F, 5).node("Gemm", "x,w,b", "y"));
        check("[6, 5]", matrix(13).input("w", F, 5, "N").node("Gemm", "x,w", "y", "transA", 1, "transB", 1));
        check("[N, S, M]", TestModel.of(13).input("a", F, "N", "S", 4).input("b", F, "N", 4, "M").node("Einsum", "a,b",
                "y", "equation", "bij, bjk -> bik"));
        check("[M, N]", TestModel.of(13).input("a", F, "N", "M").node("Einsum", "a", "y", "equation", "ij->ji"));
        check("[N, M, S, 5]", TestModel.of(13).input("a", F, "N", "M", "S", 4).input("b", F, 4, 5).node("Einsum", "a,b",
                "y", "equation", "...ij,jk->...ik"));
        check("[N, 5]", TestModel.of(13).input("a", F, "N", 4).input("b", F, 4, 5).node("Einsum", "a,b", "y",
                "equation", "ij,jk"));
        check("[N, 5]", TestModel.of(13).input("a", ElementType.UINT8, "N", 4).input("b", ElementType.UINT8, 4, 5)
                .node("MatMulInteger", "a,b", "y"));
        check("[N, 5]", TestModel.of(13).input("a", ElementType.UINT8, "N", 4).zeros("b", ElementType.UINT8, 4, 5)
                .zeros("s", F).zeros("z", ElementType.UINT8).node("QLinearMatMul", "a,s,z,b,s,z,s,z", "y"));
    }

    @Test
    void normalization() {
        check("[N, 4, H, W]", image(15).zeros("s", F, 4).zeros("b", F, 4).zeros("m", F, 4).zeros("v", F, 4)
                .node("BatchNormalization", "x,s,b,m,v", "y"));
        check("[N, 4, H, W]", image(9).zeros("s", F, 4).zeros("b", F, 4).zeros("m", F, 4).zeros("v", F, 4)
                .node("BatchNormalization", "x,s,b,m,v", "y"));
        check("[N, 6]; [N, 1]; [N, 1]", matrix(17).zeros("s", F, 6).zeros("b", F, 6).node("LayerNormalization", "x,s,b",
                "y,m,d"));
        check("[N, 6]", matrix(23).zeros("s", F, 6).node("RMSNormalization", "x,s", "y"));
        check("[N, 4, H, W]", image(13).zeros("s", F, 4).zeros("b", F, 4).node("InstanceNormalization", "x,s,b", "y"));
        check("[N, 4, H, W]", image(21).zeros("s", F, 4).zeros("b", F, 4).node("GroupNormalization", "x,s,b", "y",
                "num_groups", 2));
        check("[N, 6]", matrix(13).zeros("s", F).zeros("z", ElementType.INT8).node("QuantizeLinear", "x,s,z", "y"));
        check("[N, 6]", matrix(13).zeros("s", F).node("QuantizeLinear", "x,s", "y"));
        check("[N, 6]", TestModel.of(13).input("x", ElementType.INT8, "N", 6).zeros("s", F).node("DequantizeLinear",
                "x,s", "y"));
        check("[N, 6]; []; []", matrix(13).node("DynamicQuantizeLinear", "x", "y,s,z"));
    }
}
