package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.sun.management.ThreadMXBean;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.memory.ElementType;

/** What is known of a model's tensors and what is not, and what is said about it. */
class ShapeInferenceTest {
    private static final ElementType F = ElementType.FLOAT32;

    @TempDir
    private Path folder;

    @Test
    void anUnknownOperatorIsNamedAndNoError() {
        InferredShapes shapes = TestModel.of(17).opset("com.example", 3).input("x", F, "N", 4)
                .foreignNode("com.example", "Sparkle", "x", "s").node("Relu", "s", "r").node("Relu", "x", "q")
                .output("r").infer();
        assertEquals(Set.of("com.example.Sparkle"), shapes.unknownOperators());
        String reason = "no shape function is known for the operator of node 'sparkle0' (com.example.Sparkle)";
        assertEquals(Map.of("s", reason, "r", reason, "x", "the model's inputs decide N", "q",
                "the model's inputs decide N"), shapes.dynamic());
    }

    @Test
    void aShapeFunctionOfOnesOwn() {
        OnnxModel model = TestModel.of(17).opset("com.example", 3).input("x", F, "N", 4)
                .foreignNode("com.example", "Twice", "x", "y").output("y").model();
        ShapeFunctions functions = ShapeInference.standardFunctions().with("com.example", "Twice", 2, node -> {
            node.outputType(0, node.type(0));
            node.output(0, node.shape(0).with(0, node.shape(0).dimension(0).times(Dimension.of(2))));
        }).with("com.example", "Twice", 4, node -> {
            throw node.conflict("this version is not asked for");
        });
        InferredShapes shapes = ShapeInference.of(model).with(functions).infer();
        assertEquals("FLOAT32 [2*N, 4]", shapes.tensor("y").toString());
        assertFalse(ShapeInference.standardFunctions().find("com.example", "Twice", 3).isPresent());
        assertFalse(functions.find("com.example", "Twice", 1).isPresent());
    }

    @Test
    void whatFailsInAShapeFunctionIsNamed() {
        OnnxModel model = TestModel.of(17).input("x", F, "N").node("Broken", "x", "y").model();
        ShapeFunctions functions = ShapeFunctions.none().with("", "Broken", 1, node -> node.shape(0).dimension(3));
        OnnxException failure = assertThrows(OnnxException.class,
                () -> ShapeInference.of(model).with(functions).infer());
        assertEquals("node 'broken0' (Broken)", failure.place());
        assertTrue(failure.getCause() instanceof IndexOutOfBoundsException, failure::getMessage);
    }

    @Test
    void branchesAreDynamicRegions() {
        TestModel branch = TestModel.of(17).node("Relu", "x", "b").output("b");
        InferredShapes shapes = TestModel.of(17).input("c", ElementType.BOOL).input("z", F, "N").node("Relu", "z", "x")
                .node("If", "c", "y", "then_branch", branch, "else_branch", branch).output("y").infer();
        assertEquals(List.of("node 'if1' (If)"), shapes.dynamicRegions().stream().map(OnnxNode::label).toList());
        // Whichever is taken.
        assertEquals("FLOAT32 [N]", shapes.tensor("y").toString());
        assertEquals(Set.of("x"), shapes.dynamicRegions().getFirst().captured());
        assertEquals(Set.of(), shapes.unknownOperators());
    }

    @Test
    void contradictionsShowTheWay() {
        TestModel model = TestModel.of(17).input("x", F, "N", 4).input("y", F, "N", 3).node("Relu", "x", "a")
                .node("Relu", "y", "b").node("Add", "a,b", "c").output("c");
        assertContradicts("""
                node 'add2' (Add): shapes [N, 4] and [N, 3] cannot be broadcast: 4 and 3 differ, and neither is 1
                  'a' FLOAT32 [N, 4], from node 'relu0' (Relu) of 'x' FLOAT32 [N, 4], an input
                  'b' FLOAT32 [N, 3], from node 'relu1' (Relu) of 'y' FLOAT32 [N, 3], an input""", model);
        assertContradicts("""
                node 'flatten0' (Flatten): its output 'y' is [N, 4], but the model declares [N, 5]
                  'x' FLOAT32 [N, 4], an input""",
                TestModel.of(17).input("x", F, "N", 4).node("Flatten", "x", "y").output("y", F, "N", 5));
        assertContradicts("its output 'y' is FLOAT32, but the model declares INT64", TestModel.of(17)
                .input("x", F, "N", 4).node("Relu", "x", "y").output("y", ElementType.INT64, "N", 4));
        assertContradicts("where rank 2 belongs", TestModel.of(17).input("x", F, 2, 3, 4).zeros("w", F, 4, 4)
                .node("Gemm", "x,w", "y"));
        assertContradicts("columns of [N, 4] and rows of [3, 4] are 4 and 3, and must be equal", TestModel.of(17)
                .input("x", F, "N", 4).zeros("w", F, 3, 4).node("MatMul", "x,w", "y"));
        assertContradicts("attribute 'axis' is STRING, where INTEGER belongs", TestModel.of(17).input("x", F, "N", 4)
                .node("Flatten", "x", "y", "axis", "first"));
    }

    private static void assertContradicts(String message, TestModel model) {
        OnnxException contradiction = assertThrows(OnnxException.class, model::infer);
        assertTrue(contradiction.getMessage().contains(message), contradiction::getMessage);
    }

    @Test
    void whatTheModelSaysIsTakenWhereNothingBetterIsKnown() {
        InferredShapes shapes = TestModel.of(17).input("x", F, "N", 4).node("Unknown", "x", "a")
                .value(F, "a", "N", 7, "other", null).node("NonZero", "x", "z").value(ElementType.INT64, "z", 2, 8)
                .node("Relu", "a", "y").output("y").infer();
        assertEquals("FLOAT32 [N, 7, a[2], a[3]]", shapes.tensor("y").toString());
        assertEquals("INT64 [2, 8]", shapes.tensor("z").toString());
        assertEquals("no shape function is known for the operator of node 'unknown0' (Unknown)",
                shapes.dynamic().get("y"));
    }

    @Test
    void inputsCanBeOtherwise() {
        OnnxModel model = TestModel.of(17).input("x", F, null, 4).node("Flatten", "x", "y").output("y", F, 1, 4)
                .model();
        assertEquals("[x[0], 4]", ShapeInference.of(model).infer().tensor("y").shape().get().toString());
        assertTrue(ShapeInference.of(model).withSymbol("x[0]", 1).infer().tensor("y").isStatic());
        assertEquals("[9, 4]", ShapeInference.of(model).withInput("x", SymbolicShape.of(9, 2, 2)).infer().tensor("y")
                .shape().get().toString());
        assertThrows(IllegalArgumentException.class,
                () -> ShapeInference.of(model).withInput("y", SymbolicShape.of(9)));
        assertThrows(NoSuchElementException.class, () -> ShapeInference.of(model).infer().tensor("w"));
    }

    @Test
    void anInitializerCountsUnlessItIsGiven() {
        OnnxModel model = TestModel.of(17).input("x", F, "N", 6).input("s", ElementType.INT64, 3).integers("s", 0, 2, 3)
                .node("Reshape", "x,s", "y").output("y").model();
        assertEquals(List.of("x"), model.graph().requiredInputs().stream().map(ValueInfo::name).toList());
        assertEquals("[N, 2, 3]", ShapeInference.of(model).infer().tensor("y").shape().get().toString());
        assertEquals("[y[0], y[1], y[2]]", ShapeInference.of(model).withInput("s", SymbolicShape.of(3)).infer()
                .tensor("y").shape().get().toString());
    }

    @Test
    void nodesMayStandInAnyOrder() {
        InferredShapes shapes = TestModel.of(17).input("x", F, "N").node("Relu", "a", "y").node("Tanh", "x", "a")
                .output("y").infer();
        assertEquals(List.of("node 'tanh1' (Tanh)", "node 'relu0' (Relu)"),
                shapes.order().stream().map(OnnxNode::label).toList());
    }

    @Test
    void weightsStayWhereTheyAre() throws IOException {
        Path file = folder.resolve("model.onnx");
        Files.write(file, TestModel.of(17).floats("w", 1, 2, 3).node("Relu", "w", "y").output("y").bytes());
        OnnxTensor weights = OnnxReader.read(file).graph().initializers().get("w");
        MemorySegment bytes = weights.bytes().orElseThrow();
        assertTrue(bytes.isNative() && bytes.isReadOnly() && bytes.isMapped());
        assertEquals(3f, bytes.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 8));
    }

    /** A file with a hole: nothing of its weights is read. */
    @Test
    void modelsMayBeLargerThanTwoGibibytes() throws IOException {
        long count = 700_000_000;
        long byteSize = count * Float.BYTES;
        byte[] tensor = new ProtoWriter().text(8, "w").integer(1, count).integer(2, F.code()).toBytes();
        byte[] rawHeader = header(9, byteSize);
        byte[] tensorHeader = header(5, tensor.length + rawHeader.length + byteSize);
        byte[] node = new ProtoWriter().message(1, new ProtoWriter().text(4, "Relu").text(1, "w").text(2, "y"))
                .toBytes();
        byte[] graphHeader = header(7,
                tensorHeader.length + tensor.length + rawHeader.length + byteSize + node.length);
        Path file = folder.resolve("large.onnx");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (byte[] part : new byte[][]{graphHeader, tensorHeader, tensor, rawHeader}) {
                channel.write(ByteBuffer.wrap(part));
            }
            channel.position(channel.position() + byteSize);
            channel.write(ByteBuffer.wrap(node));
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        OnnxModel model = OnnxReader.read(file);
        InferredShapes shapes = ShapeInference.of(model).infer();
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertEquals("FLOAT32 [700000000]", shapes.tensor("y").toString());
        assertEquals(byteSize, model.graph().initializers().get("w").bytes().orElseThrow().byteSize());
        assertTrue(allocated < 1 << 20, "allocated: " + allocated);
    }

    private static byte[] header(int field, long length) {
        byte[] header = new ProtoWriter().integer(field, length).toBytes();
        header[0] |= 2;
        return header;
    }

    @Test
    void weightsInAFileOfTheirOwn() throws IOException {
        ProtoWriter tensor = new ProtoWriter().text(8, "w").integer(1, 2).integer(2, F.code()).integer(14, 1)
                .message(13, new ProtoWriter().text(1, "location").text(2, "w.bin"))
                .message(13, new ProtoWriter().text(1, "offset").text(2, "4096"))
                .message(13, new ProtoWriter().text(1, "length").text(2, "8"));
        Path file = folder.resolve("model.onnx");
        Files.write(file, new ProtoWriter().message(7, new ProtoWriter().message(5, tensor)).toBytes());
        byte[] weights = new byte[4104];
        weights[4099] = 64;
        Files.write(folder.resolve("w.bin"), weights);
        OnnxTensor read = OnnxReader.read(file).graph().initializers().get("w");
        assertEquals(2f, read.bytes().orElseThrow().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0));
        Files.write(folder.resolve("w.bin"), new byte[4100]);
        assertTrue(assertThrows(IOException.class, read::bytes).getMessage().contains("ends behind the end"));
    }

    @Test
    void numbersInFieldsAreReadToo() {
        ProtoWriter packed = new ProtoWriter().text(8, "s").integer(1, 2).integer(2, 7).bytes(7, new byte[]{5, 6});
        ProtoWriter single = new ProtoWriter().text(8, "t").integer(1, 2).integer(2, 6).integer(5, 3).integer(5, -1);
        byte[] model = new ProtoWriter().message(7, new ProtoWriter().message(5, packed).message(5, single)).toBytes();
        Map<String, OnnxTensor> tensors = TestModel.read(model).graph().initializers();
        assertEquals(List.of(5L, 6L), Arrays.stream(tensors.get("s").integers(2).get()).boxed().toList());
        assertEquals(List.of(3L, -1L), Arrays.stream(tensors.get("t").integers(2).get()).boxed().toList());
        assertFalse(tensors.get("s").integers(1).isPresent());
    }
}
