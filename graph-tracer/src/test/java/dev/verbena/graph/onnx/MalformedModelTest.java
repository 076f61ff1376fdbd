package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;

/** What is no model, or none that can be, ends in one exception that names the place, whatever is wrong with it; in bounded memory. */
class MalformedModelTest {
    private static final int MUTATIONS = 1000;

    @Test
    void whatIsCutOffIsRefusedOrSmaller() {
        byte[] whole = network().bytes();
        int refused = 0;
        for (int length = 0; length < whole.length; length++) {
            refused += Mutations.isRefused(Arrays.copyOf(whole, length)) ? 1 : 0;
        }
        assertTrue(refused > whole.length * 9 / 10, "refused: " + refused + " of " + whole.length);
        assertFalse(Mutations.isRefused(whole));
    }

    @Test
    void mutationsAreRefusedOrModels() {
        byte[] whole = network().bytes();
        int refused = 0;
        for (int seed = 0; seed < MUTATIONS; seed++) {
            byte[] mutated = Mutations.mutated(whole, new Random(seed));
            try {
                refused += Mutations.isRefused(mutated) ? 1 : 0;
            } catch (RuntimeException | Error other) {
                throw new AssertionError("seed=" + seed, other);
            }
        }
        assertTrue(refused > MUTATIONS / 2, "refused: " + refused);
        assertTrue(refused < MUTATIONS, "some change only a name");
    }

    /** Some of everything, small. */
    private static TestModel network() {
        return TestModel.of(17).input("x", ElementType.FLOAT32, "N", 3, 8, 8)
                .zeros("w", ElementType.FLOAT32, 4, 3, 3, 3)
                .zeros("v", ElementType.FLOAT32, 144, 5).integers("two", 2, 2).integers("axes", 0)
                .scalar("zero", 0).integers("rest", -1)
                .node("Conv", "x,w", "c", "kernel_shape", new long[]{3, 3}, "pads", new long[]{1, 1, 1, 1})
                .node("MaxPool", "c", "p", "kernel_shape", new long[]{3, 3}, "strides", new long[]{1, 1})
                .node("Relu", "p", "r").node("Shape", "r", "s").node("Gather", "s,zero", "n")
                .node("Unsqueeze", "n,axes", "n1").node("Concat", "n1,rest", "target", "axis", 0)
                .node("Reshape", "r,target", "flat").node("MatMul", "flat,v", "m").node("Softmax", "m", "y")
                .node("Tile", "y,two", "tiled").node("Transpose", "tiled", "t", "perm", new long[]{1, 0})
                .output("t", ElementType.FLOAT32, 10, null);
    }

    @Test
    void theNetworkItselfIsInferred() {
        assertEquals("[10, 2*N]", network().infer().tensor("t").shape().get().toString());
    }

    @Test
    void placesAreNamed() {
        assertRefused("test.onnx, at byte 0: no graph", new byte[0]);
        assertRefused("test.onnx, field 7, at byte 0: a length of 100 bytes, of which 0 are there",
                new byte[]{7 << 3 | 2, 100});
        assertRefused("test.onnx.graph.node[0]", new ProtoWriter().message(7, new ProtoWriter().message(1,
                new ProtoWriter().text(1, "x"))).toBytes());
        assertRefused("wire type 2 where 0 belongs", new ProtoWriter().text(1, "x").toBytes());
        assertRefused("not UTF-8", new ProtoWriter().bytes(2, new byte[]{-1}).toBytes());
    }

    @Test
    void aLengthLargerThanTheFileIsNotAllocated() {
        byte[] claims = {7 << 3 | 2, -1, -1, -1, -1, -1, -1, -1, -1, 127};
        assertRefused("test.onnx, field 7, at byte 0: a length of 9223372036854775807 bytes, of which 0 are there",
                claims);
        assertRefused("of which 0 are there", new byte[]{7 << 3 | 2, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1});
    }

    @Test
    void circlesAreNamed() {
        assertRefused("node 'tanh1' (Tanh) -> node 'relu0' (Relu) -> node 'tanh1' (Tanh)",
                TestModel.of(17).node("Relu", "b", "a").node("Tanh", "a", "b").output("b").bytes());
    }

    @Test
    void whatNobodyMakesIsNamed() {
        assertRefused("node 'relu0' (Relu): 'x' is made by no node", TestModel.of(17).node("Relu", "x", "y").bytes());
        assertRefused("the graph's outputs: 'z' is made by no node", TestModel.of(17).output("z").bytes());
        assertRefused("its output 'a' is made by node 'relu0' (Relu) too", TestModel.of(17)
                .input("x", ElementType.FLOAT32, 1).node("Relu", "x", "a").node("Tanh", "x", "a").bytes());
    }

    @Test
    void absurdSizesAreRefused() {
        long huge = 1L << 62;
        assertRefused("no shape can be computed: long overflow", TestModel.of(17)
                .input("x", ElementType.FLOAT32, huge, 4).node("Flatten", "x", "y", "axis", 2).output("y").bytes());
        Object[] thousand = new Object[1000];
        Arrays.fill(thousand, 1);
        assertRefused("graph.input[0].type.tensor_type.shape", TestModel.of(17)
                .input("x", ElementType.FLOAT32, thousand).node("Relu", "x", "y").output("y").bytes());
        assertRefused("too many elements", Mutations.joined(TestModel.of(17).bytes(), new ProtoWriter().message(7,
                new ProtoWriter().message(5, new ProtoWriter().text(8, "w").integer(1, huge).integer(1, huge)
                        .integer(2, 1)))
                .toBytes()));
        assertRefused("negative dimension", Mutations.joined(TestModel.of(17).bytes(), new ProtoWriter().message(7,
                new ProtoWriter().message(5, new ProtoWriter().text(8, "w").integer(1, -1).integer(2, 1)))
                .toBytes()));
        assertEquals("[4611686018427387904]", TestModel.of(17).integers("s", huge).node("ConstantOfShape", "s", "y")
                .output("y").infer().tensor("y").shape().get().toString());
    }

    @Test
    void weightsThatAreNotThereAreRefused() {
        ProtoWriter tensor = new ProtoWriter().text(8, "w").integer(1, 3).integer(2, 1);
        assertRefused("tensor 'w' of FLOAT32 [3] has 12 bytes, but 4 are there", Mutations.joined(
                TestModel.of(17).bytes(),
                new ProtoWriter().message(7, new ProtoWriter().message(5, tensor.bytes(9, new byte[4]))).toBytes()));
        assertRefused("its shape [2] has 2 elements, only 0 are there",
                Mutations.joined(TestModel.of(17).bytes(), new ProtoWriter().message(7, new ProtoWriter().message(5,
                        new ProtoWriter().text(8, "w").integer(1, 2).integer(2, 7))).toBytes()));
    }

    @Test
    void weightsOutsideTheModelsFolderAreRefused() {
        for (String location : new String[]{"../secret", "/etc/passwd", "", "a/../../b"}) {
            ProtoWriter entry = new ProtoWriter().text(1, "location").text(2, location);
            assertRefused("which is no file in the model's folder", new ProtoWriter().message(7, new ProtoWriter()
                    .message(5, new ProtoWriter().text(8, "w").integer(1, 1).integer(2, 1).integer(14, 1).message(13,
                            entry)))
                    .toBytes());
        }
    }

    @Test
    void graphsWithinGraphsEnd() {
        TestModel inner = TestModel.of(17);
        for (int i = 0; i < 40; i++) {
            inner = TestModel.of(17).node("If", "", "y" + i, "then_branch", inner);
        }
        assertRefused("more than 32 deep", inner.bytes());
    }

    private static void assertRefused(String message, byte[] model) {
        OnnxException refusal = assertThrows(OnnxException.class,
                () -> ShapeInference.of(TestModel.read(model)).infer());
        assertTrue(refusal.getMessage().contains(message), refusal::getMessage);
    }
}
