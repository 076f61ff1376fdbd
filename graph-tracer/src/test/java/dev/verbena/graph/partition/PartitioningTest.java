package dev.verbena.graph.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.onnx.OnnxNode;

class PartitioningTest {
    /** Of two branches, of which one jumps over a part. */
    private static final TestGraph GRAPH = new TestGraph().input("x", 8).input("y", 4).weights("w", 100)
            .node("a", 16, "x,w").node("b", 32, "a,y").node("c", 64, "b,w").node("d", 8, "a,c").output("d")
            .output("b");

    @Test
    void whatPartsTakeAndGiveIsSaid() {
        Partitioning partitioning = divided(Map.of("a", 0, "b", 1, "c", 2, "d", 2), 3);
        assertEquals(3, partitioning.partCount());
        assertEquals(List.of("a: 0 -> [1, 2]", "b: 1 -> [2]"), partitioning.crossings().stream()
                .map(each -> each.tensor() + ": " + each.producerPart() + " -> " + each.consumerParts()).toList());
        assertEquals(List.of("a", "b"), partitioning.crossings().stream().map(each -> each.producer().name()).toList());
        assertEquals(List.of(
                "0 [a] weights [w] feeds [x] receives [] sends [a] results []",
                "1 [b] weights [] feeds [y] receives [a] sends [b] results [b]",
                "2 [c, d] weights [w] feeds [] receives [b, a] sends [] results [d]"),
                partitioning.parts().stream().map(PartitioningTest::text).toList());
        assertEquals(2, partitioning.partOf(partitioning.parts().get(2).nodes().getFirst()));
        assertEquals("3 parts of [1, 1, 2] nodes, 2 crossings", partitioning.toString());
    }

    /** Of constants, one made of another, each part that takes them has its own: nothing of them crosses, not even back. */
    @Test
    void constantsAreCopied() {
        TestGraph graph = new TestGraph().input("x", 8).weights("w", 100).foreignNode("", "Constant", "two", 8, "")
                .foreignNode("", "Mul", "c", 100, "w,two").node("a", 16, "x,c").node("b", 16, "a,two")
                .node("d", 16, "b,c").output("d").output("c");
        Map<String, Integer> parts = Map.of("two", 1, "c", 0, "a", 0, "b", 1, "d", 2);
        Partitioning partitioning = Partitioning.of(graph.graph(), graph.infer().order(), 3,
                node -> parts.get(node.name()));
        assertEquals(List.of("a", "b"), partitioning.crossings().stream().map(Crossing::tensor).toList());
        assertEquals(List.of(
                "0 [two, c, a] weights [w] feeds [x] receives [] sends [a] results [c]",
                "1 [two, b] weights [] feeds [] receives [a] sends [b] results []",
                "2 [two, c, d] weights [w] feeds [] receives [b] sends [] results [d]"),
                partitioning.parts().stream().map(PartitioningTest::text).toList());
        assertEquals(1, partitioning.partOf(graph.graph().nodes().getFirst()));
        Partitioning found = Partitioner.into(3).partition(graph.graph(), graph.infer());
        assertEquals(partitioning.parts(), found.parts());
    }

    @Test
    void nothingGoesBackAndNoPartIsEmpty() {
        assertEquals("node 'c' (test.Make) in part 0 needs 'b' of node 'b' (test.Make) in part 1; tensors go to later "
                + "parts only", refusal(Map.of("a", 0, "b", 1, "c", 0, "d", 1), 2));
        assertEquals("part 1 of 3 has no node", refusal(Map.of("a", 0, "b", 0, "c", 2, "d", 2), 3));
        assertEquals("node 'c' (test.Make) is put into part 2; parts are 0 to 1",
                refusal(Map.of("a", 0, "b", 1, "c", 2, "d", 1), 2));
    }

    @Test
    void slicesAreAboutAsLargeAsEachOther() {
        TestGraph graph = new TestGraph().input("x", 1).weights("small", 10).weights("large", 1000)
                .weights("other", 900).node("a", 1, "x,small").node("b", 1, "a,small").node("c", 1, "b,large")
                .node("d", 1, "c,other").output("d");
        assertEquals(List.of(List.of("a", "b", "c"), List.of("d")),
                Partitioner.into(2).partition(graph.graph(), graph.infer()).parts().stream()
                        .map(part -> part.nodes().stream().map(OnnxNode::name).toList()).toList());
        assertEquals(4, Partitioner.into(4).partition(graph.graph(), graph.infer()).partCount());
        assertEquals("a graph of 4 nodes cannot be divided into 5 parts", assertThrows(PartitionException.class,
                () -> Partitioner.into(5).partition(graph.graph(), graph.infer())).getMessage());
        assertThrows(IllegalArgumentException.class, () -> Partitioner.into(0));
    }

    private static Partitioning divided(Map<String, Integer> parts, int partCount) {
        return Partitioning.of(GRAPH.graph(), GRAPH.infer().order(), partCount, node -> parts.get(node.name()));
    }

    private static String refusal(Map<String, Integer> parts, int partCount) {
        return assertThrows(PartitionException.class, () -> divided(parts, partCount)).getMessage();
    }

    private static String text(Part part) {
        return part.index() + " " + part.nodes().stream().map(OnnxNode::name).toList() + " weights "
                + part.initializers() + " feeds " + part.feeds() + " receives " + part.receives() + " sends "
                + part.sends() + " results " + part.results();
    }
}
