package dev.verbena.training.operation;

import static dev.verbena.memory.ElementType.FLOAT32;
import static dev.verbena.memory.ElementType.INT32;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;

class ShapeFunctionTest {
    private static final Dimension ROWS = Dimension.symbol("rows");
    private static final Dimension COLUMNS = Dimension.unknown("columns", "the run tells");
    private static final TensorType MATRIX = TensorType.of(FLOAT32, 3, 4);

    @Test
    void outputsFollowFromInputs() {
        assertInfers(new MatMul(false, false), List.of(TensorType.of(FLOAT32, 3, 5)), MATRIX,
                TensorType.of(FLOAT32, 4, 5));
        assertInfers(new MatMul(true, false), List.of(TensorType.of(FLOAT32, 4, 5)), MATRIX,
                TensorType.of(FLOAT32, 3, 5));
        assertInfers(new MatMul(false, true), List.of(TensorType.of(FLOAT32, 3, 5)), MATRIX,
                TensorType.of(FLOAT32, 5, 4));
        assertInfers(new MatMul(true, true), List.of(TensorType.of(FLOAT32, 4, 5)), MATRIX,
                TensorType.of(FLOAT32, 5, 3));
        assertInfers(new AddBias(), List.of(MATRIX), MATRIX, TensorType.of(FLOAT32, 4));
        assertInfers(new Celu(), List.of(MATRIX), MATRIX);
        assertInfers(new CeluGradient(), List.of(MATRIX), MATRIX, MATRIX);
        assertInfers(new ReduceRows(), List.of(TensorType.of(FLOAT32, 4)), MATRIX);
        assertInfers(new SoftmaxCrossEntropy(), List.of(TensorType.of(FLOAT32), MATRIX), MATRIX,
                TensorType.of(INT32, 3));
        assertInfers(new Sum(), List.of(MATRIX), MATRIX, MATRIX, MATRIX);
        assertInfers(new ApplySgd(1), List.of(), MATRIX, MATRIX);
        assertInfers(new ApplySgd(1), List.of(), MATRIX, MATRIX, MATRIX, MATRIX);
        assertInfers(new Snapshot(), List.of(MATRIX), MATRIX);
    }

    @Test
    void unknownDimensionsComeOutWhereNothingTellsThem() {
        TensorType rows = type(ROWS, Dimension.of(4));
        TensorType columns = type(Dimension.of(3), COLUMNS);
        assertInfers(new MatMul(false, false), List.of(type(ROWS, COLUMNS)), rows,
                type(Dimension.of(4), COLUMNS));
        assertInfers(new AddBias(), List.of(MATRIX), columns, TensorType.of(FLOAT32, 4));
        assertInfers(new CeluGradient(), List.of(MATRIX), rows, columns);
        assertInfers(new Sum(), List.of(MATRIX), rows, columns, rows);
        assertInfers(new ReduceRows(), List.of(type(COLUMNS)), columns);
        assertInfers(new SoftmaxCrossEntropy(), List.of(TensorType.of(FLOAT32), MATRIX), rows, TensorType.of(INT32, 3));
    }

    @Test
    void saysWhatDoesNotFit() {
        TensorType vector = TensorType.of(FLOAT32, 3);
        assertRefuses(new MatMul(false, false),
                "inner dimension of a[3, 4]=4 does not fit inner dimension of b[5, 6]=5",
                MATRIX, TensorType.of(FLOAT32, 5, 6));
        assertRefuses(new MatMul(false, false), "input 1 (b) is INT32[4, 5]; expected FLOAT32 of rank 2", MATRIX,
                TensorType.of(INT32, 4, 5));
        assertRefuses(new MatMul(false, false), "takes 2 inputs (a, b), not 1", MATRIX);
        assertRefuses(new AddBias(), "columns of x[3, 4]=4 does not fit length of bias=3", MATRIX, vector);
        assertRefuses(new Celu(), "input 0 (x) is INT32[3]; expected FLOAT32", TensorType.of(INT32, 3));
        assertRefuses(new CeluGradient(), "dimension 1 of gradient=4 does not fit that of y=5", MATRIX,
                TensorType.of(FLOAT32, 3, 5));
        assertRefuses(new ReduceRows(), "input 0 (x) is FLOAT32[3]; expected FLOAT32 of rank 2", vector);
        assertRefuses(new SoftmaxCrossEntropy(), "rows of logits[3, 4]=3 does not fit length of labels=2", MATRIX,
                TensorType.of(INT32, 2));
        assertRefuses(new SoftmaxCrossEntropy(), "input 1 (labels) is FLOAT32[3]; expected INT32 of rank 1", MATRIX,
                vector);
        assertRefuses(new Sum(), "takes at least one term");
        assertRefuses(new Sum(), "input 1 (term) is FLOAT32[3]; expected FLOAT32 of rank 2", MATRIX,
                vector);
        assertRefuses(new Sum(), "dimension 0 of term 0=3 does not fit that of term 2=9", MATRIX,
                MATRIX,
                TensorType.of(FLOAT32, 9, 4));
        assertRefuses(new ApplySgd(1), "dimension 0 of variable=3 does not fit that of gradient=9", MATRIX,
                TensorType.of(FLOAT32, 9, 4));
        assertRefuses(new ApplySgd(1), "takes at least 2 inputs (variable, gradients), not 1", MATRIX);
        assertRefuses(new ApplySgd(1), "input 2 (gradient) is FLOAT32[3]; expected FLOAT32 of rank 2", MATRIX, MATRIX,
                vector);
        assertRefuses(new Snapshot(), "takes 1 inputs (x), not 2", MATRIX, MATRIX);
    }

    /** None takes the bits of another type for its own. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOAT32")
    void everyOtherTypeIsRefusedByName(ElementType type) {
        TensorType matrix = TensorType.of(type, 3, 4);
        TensorType bias = TensorType.of(FLOAT32, 4);
        for (Operation operation : List.of(new MatMul(false, true), new CeluGradient(), new ApplySgd(1),
                new Sum())) {
            assertRefusesType(operation, 0, type, matrix, MATRIX);
            assertRefusesType(operation, 1, type, MATRIX, matrix);
        }
        assertRefusesType(new AddBias(), 0, type, matrix, bias);
        assertRefusesType(new AddBias(), 1, type, MATRIX, TensorType.of(type, 4));
        assertRefusesType(new Celu(), 0, type, matrix);
        assertRefusesType(new ReduceRows(), 0, type, matrix);
        assertRefusesType(new SoftmaxCrossEntropy(), 0, type, matrix, TensorType.of(INT32, 3));
    }

    private static void assertRefusesType(Operation operation, int input, ElementType type, TensorType... inputs) {
        String message = assertThrows(IllegalArgumentException.class, () -> operation.infer(List.of(inputs)))
                .getMessage();
        assertTrue(message.startsWith("input " + input + " (") && message.contains(") is " + type + "[")
                && message.contains("expected FLOAT32"), message);
    }

    private static TensorType type(Dimension... dimensions) {
        return new TensorType(FLOAT32, SymbolicShape.of(dimensions));
    }

    private static void assertInfers(Operation operation, List<TensorType> outputs, TensorType... inputs) {
        assertEquals(outputs, operation.infer(List.of(inputs)));
    }

    private static void assertRefuses(Operation operation, String message, TensorType... inputs) {
        assertEquals(message,
                assertThrows(IllegalArgumentException.class, () -> operation.infer(List.of(inputs))).getMessage());
    }
}
