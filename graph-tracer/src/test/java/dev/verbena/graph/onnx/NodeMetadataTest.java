package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;

import org.junit.jupiter.api.Test;

class NodeMetadataTest {
    @Test
    void whatIsNotedOfANodeIsRead() {
        ProtoWriter node = new ProtoWriter().text(1, "x").text(2, "y").text(4, "Relu").message(9, entry("a", "1"))
                .message(9, entry("b", "")).message(9, entry("a", "2"));
        ProtoWriter graph = new ProtoWriter().message(1, node).message(11, new ProtoWriter().text(1, "x"));
        OnnxModel model = TestModel.read(new ProtoWriter().integer(1, 10).message(7, graph).toBytes());
        assertEquals(Map.of("a", "2", "b", ""), model.graph().nodes().getFirst().metadata());
    }

    private static ProtoWriter entry(String key, String value) {
        return new ProtoWriter().text(1, key).text(2, value);
    }
}
