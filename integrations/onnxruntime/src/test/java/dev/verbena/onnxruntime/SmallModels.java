package dev.verbena.onnxruntime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import dev.verbena.memory.ElementType;

/** Models that are written here, so that something runs wherever ONNX Runtime does. Numbers of fields are those of onnx.proto. */
final class SmallModels {
    /** Of those weights of {@link #skipping} that a session is given; its bias is too small for that. */
    static final long WEIGHT_BYTE_SIZE = 2L * 16 * 32 * Float.BYTES;

    private static final long IR_VERSION = 8;
    private static final long OPSET = 17;

    private SmallModels() {}

    /** {@code r = Relu(x); y = Tanh(r w1 + b) w2 + r}, of {@code x [N, 16]}; r is an output too. */
    static Path skipping(Path folder) throws IOException {
        Message graph = new Message().text(2, "skipping");
        node(graph, "Relu", "relu", "r", "x");
        node(graph, "MatMul", "first", "a", "r", "w1");
        node(graph, "Add", "bias", "b", "a", "b1");
        node(graph, "Tanh", "tanh", "c", "b");
        node(graph, "MatMul", "second", "d", "c", "w2");
        node(graph, "Add", "skip", "y", "d", "r");
        weight(graph, "w1", 1, 16, 32);
        weight(graph, "b1", 2, 32);
        weight(graph, "w2", 3, 32, 16);
        value(graph, 11, "x", ElementType.FLOAT32, "N", 16);
        value(graph, 12, "y", ElementType.FLOAT32, "N", 16);
        value(graph, 12, "r", ElementType.FLOAT32, "N", 16);
        return write(folder, "skipping.onnx", graph);
    }

    /** Where {@code Relu(x)} is not 0, of {@code x [40]}: how many that are only the run tells. Nodes say in which of two parts they are. */
    static Path counting(Path folder) throws IOException {
        Message graph = new Message().text(2, "counting");
        node(graph, "Relu", "part0/relu", "r", "x");
        node(graph, "NonZero", "part0/nonzero", "where", "r");
        node(graph, "Neg", "part1/neg", "y", "where");
        value(graph, 11, "x", ElementType.FLOAT32, 40);
        value(graph, 12, "y", ElementType.INT64, 1, "found");
        return write(folder, "counting.onnx", graph);
    }

    /** {@code y = x + z}, both {@code [N, 4]}, and the opposite of it. */
    static Path summing(Path folder) throws IOException {
        Message graph = new Message().text(2, "summing");
        node(graph, "Add", "add", "y", "x", "z");
        node(graph, "Neg", "neg", "opposite", "y");
        value(graph, 11, "x", ElementType.FLOAT32, "N", 4);
        value(graph, 11, "z", ElementType.FLOAT32, "N", 4);
        value(graph, 12, "opposite", ElementType.FLOAT32, "N", 4);
        return write(folder, "summing.onnx", graph);
    }

    private static void node(Message graph, String operator, String name, String output, String... inputs) {
        Message node = new Message();
        for (String input : inputs) {
            node.text(1, input);
        }
        graph.message(1, node.text(2, output).text(3, name).text(4, operator));
    }

    private static void weight(Message graph, String name, int seed, int... dimensions) {
        Message tensor = new Message();
        int count = 1;
        for (int dimension : dimensions) {
            tensor.integer(1, dimension);
            count *= dimension;
        }
        float[] elements = new float[count];
        Random random = new Random(seed);
        for (int i = 0; i < count; i++) {
            elements[i] = (float) random.nextGaussian() / 4;
        }
        graph.message(5, tensor.integer(2, ElementType.FLOAT32.code()).text(8, name).floats(9, elements));
    }

    private static void value(Message graph, int field, String name, ElementType type, Object... dimensions) {
        Message shape = new Message();
        for (Object dimension : dimensions) {
            shape.message(1, dimension instanceof Integer number ? new Message().integer(1, number)
                    : new Message().text(2, (String) dimension));
        }
        Message tensor = new Message().integer(1, type.code()).message(2, shape);
        graph.message(field, new Message().text(1, name).message(2, new Message().message(1, tensor)));
    }

    private static Path write(Path folder, String name, Message graph) throws IOException {
        Message model = new Message().integer(1, IR_VERSION).message(7, graph).message(8,
                new Message().text(1, "").integer(2, OPSET));
        return Files.write(folder.resolve(name), model.toBytes());
    }
}
