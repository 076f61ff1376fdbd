package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/** Known is what does not depend on the run, and then it is what ONNX Runtime computes. */
class RegionInferenceTest {
    private static final ElementType FLOAT = ElementType.FLOAT32;

    @Test
    void whatBothBranchesGiveIsKnown() throws OrtException {
        TestModel model = branching(relu("t", 2, 3), negated("e", 2, 3)).input("c", ElementType.BOOL);
        assertEquals("FLOAT32 [2, 3]", model.infer().tensor("y").toString());
        assertEquals(Shape.of(2, 3), computed(model, "y", Map.of("x", OnnxRuntime.zeros(FLOAT, 2, 3), "c",
                OnnxRuntime.zeros(ElementType.BOOL))));
        assertEquals(Set.of(), model.infer().deadBranches());
    }

    @Test
    void whatTheyDoNotIsUnknownForThatReason() {
        TestModel wide = TestModel.of(17).node("Concat", "x,x", "e", "axis", 1L).output("e", FLOAT, 2, 6);
        InferredShapes shapes = branching(relu("t", 2, 3), wide).input("c", ElementType.BOOL).infer();
        assertEquals("FLOAT32 [2, y[1]]", shapes.tensor("y").toString());
        assertEquals("branches of node 'if0' (If) give [2, 3] and [2, 6]", shapes.dynamic().get("y"));
        TestModel flat = TestModel.of(17).node("Flatten", "x", "s", "axis", 0L).node("Squeeze", "s", "e").output("e");
        assertEquals("branches of node 'if0' (If) give [2, 3] and [6]",
                branching(relu("t", 2, 3), flat).input("c", ElementType.BOOL).infer().dynamic().get("y"));
    }

    @Test
    void aBranchThatIsNeverTakenIsDead() throws OrtException {
        TestModel wide = TestModel.of(17).node("Concat", "x,x", "e", "axis", 1L).output("e", FLOAT, 2, 6);
        TestModel model = branching(relu("t", 2, 3), wide).scalar("zero", 0).node("Cast", "zero", "c", "to",
                ElementType.BOOL.code());
        InferredShapes shapes = model.infer();
        assertEquals(Set.of("then_branch of node 'if0' (If)"), shapes.deadBranches());
        assertEquals("FLOAT32 [2, 6]", shapes.tensor("y").toString());
        assertEquals(Shape.of(2, 6), computed(model, "y", Map.of("x", OnnxRuntime.zeros(FLOAT, 2, 3))));
    }

    @Test
    void branchesThatCannotBeAreNoErrorOfTheModel() {
        TestModel wrong = TestModel.of(17).node("Gemm", "x,x", "e").output("e", FLOAT, 2, 3);
        InferredShapes shapes = branching(relu("t", 2, 3), wrong).input("c", ElementType.BOOL).infer();
        assertEquals("node 'if0' (If) is a dynamic region, within which node 'gemm0' (Gemm) has shapes that contradict "
                + "each other", shapes.dynamic().get("y"));
    }

    @Test
    void roundsAreCountedWhereTheirNumberIsKnown() throws OrtException {
        TestModel model = looping(counted()).scalar("times", 3);
        InferredShapes shapes = model.infer();
        assertEquals("FLOAT32 [2]", shapes.tensor("last").toString());
        assertEquals("FLOAT32 [3, 2]", shapes.tensor("all").toString());
        Map<String, OnnxTensor> inputs = Map.of("x", OnnxRuntime.zeros(FLOAT, 2));
        assertEquals(Shape.of(3, 2), computed(model, "all", inputs));
        assertEquals(Shape.of(2), computed(model, "last", Map.of("x", OnnxRuntime.zeros(FLOAT, 2))));
        InferredShapes open = looping(counted()).input("times", ElementType.INT64).infer();
        assertEquals("FLOAT32 [2]", open.tensor("last").toString());
        assertEquals("FLOAT32 [all[0], 2]", open.tensor("all").toString());
        assertEquals("how often node 'loop0' (Loop) runs is known only at run time", open.dynamic().get("all"));
    }

    @Test
    void roundsThatMayEndEarlyAreNotCounted() {
        TestModel body = body().node("ReduceSum", "v", "s", "keepdims", 0L).node("Cast", "s", "go", "to",
                ElementType.BOOL.code()).node("Relu", "v", "w").node("Neg", "v", "n").output("go", ElementType.BOOL)
                .output("w", FLOAT, 2).output("n", FLOAT, 2);
        assertEquals("FLOAT32 [all[0], 2]", looping(body).scalar("times", 3).infer().tensor("all").toString());
    }

    @Test
    void whatGrowsFromRoundToRoundIsUnknown() throws OrtException {
        TestModel body = body().node("Identity", "c", "go").node("Concat", "v,v", "w", "axis", 0L)
                .node("ReduceSum", "v", "n", "keepdims", 1L).output("go", ElementType.BOOL)
                .output("w", FLOAT, new Object[]{null}).output("n", FLOAT, 1);
        TestModel model = looping(body).scalar("times", 3);
        InferredShapes shapes = model.infer();
        assertEquals("FLOAT32 [last[0]]", shapes.tensor("last").toString());
        assertTrue(shapes.dynamic().get("last")
                .startsWith("from round to round of node 'loop0' (Loop) it changes: [2] and "
                        + "[4]"),
                shapes.dynamic()::toString);
        assertEquals("FLOAT32 [3, 1]", shapes.tensor("all").toString());
        assertEquals(Shape.of(16), computed(model, "last", Map.of("x", OnnxRuntime.zeros(FLOAT, 2))));
    }

    @Test
    void aScanIsAsLongAsItsSequence() throws OrtException {
        TestModel body = TestModel.of(17).input("s", FLOAT, 4).input("e", FLOAT, 4).node("Add", "s,e", "t")
                .node("ReduceSum", "t", "r", "keepdims", 0L).output("t", FLOAT, 4).output("r", FLOAT);
        TestModel model = TestModel.of(17).input("init", FLOAT, 4).input("x", FLOAT, 7, 4)
                .node("Scan", "init,x", "last,all", "body", body, "num_scan_inputs", 1L).output("last").output("all");
        InferredShapes shapes = model.infer();
        assertEquals(List.of("FLOAT32 [4]", "FLOAT32 [7]"),
                List.of(shapes.tensor("last").toString(), shapes.tensor("all").toString()));
        assertEquals(Shape.of(7), computed(model, "all",
                Map.of("init", OnnxRuntime.zeros(FLOAT, 4), "x", OnnxRuntime.zeros(FLOAT, 7, 4))));
    }

    @Test
    void loopsWithinLoopsEnd() {
        TestModel inner = counted();
        for (int i = 0; i < 12; i++) {
            inner = body().node("Identity", "c", "go").scalar("times", 2)
                    .node("Loop", "times,,v", "grown,all", "body", inner).node("Concat", "grown,grown", "w", "axis", 0L)
                    .output("go", ElementType.BOOL).output("w").output("all");
        }
        assertTrue(looping(inner).scalar("times", 2).infer().tensor("last").whyDynamic().isPresent());
    }

    private static TestModel relu(String output, Object... shape) {
        return TestModel.of(17).node("Relu", "x", output).output(output, FLOAT, shape);
    }

    private static TestModel negated(String output, Object... shape) {
        return TestModel.of(17).node("Neg", "x", output).output(output, FLOAT, shape);
    }

    private static TestModel branching(TestModel then, TestModel otherwise) {
        return TestModel.of(17).input("x", FLOAT, 2, 3)
                .node("If", "c", "y", "then_branch", then, "else_branch", otherwise).output("y");
    }

    /** The beginning of what a loop runs. */
    private static TestModel body() {
        return TestModel.of(17).input("i", ElementType.INT64).input("c", ElementType.BOOL).input("v", FLOAT,
                new Object[]{null});
    }

    private static TestModel counted() {
        return body().node("Identity", "c", "go").node("Relu", "v", "w").node("Neg", "v", "n")
                .output("go", ElementType.BOOL).output("w", FLOAT, 2).output("n", FLOAT, 2);
    }

    private static TestModel looping(TestModel body) {
        return TestModel.of(17).input("x", FLOAT, 2).node("Loop", "times,,x", "last,all", "body", body).output("last")
                .output("all");
    }

    private static Shape computed(TestModel model, String output, Map<String, OnnxTensor> inputs) throws OrtException {
        return OnnxRuntime.run(model.bytes(), Set.of(output), new HashMap<>(inputs)).get(output).shape();
    }
}
