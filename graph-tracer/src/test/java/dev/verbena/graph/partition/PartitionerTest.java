package dev.verbena.graph.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.onnx.OnnxNode;

class PartitionerTest {
    @Test
    void largeTensorsStayWhereTheyAreMade() {
        // By weights alone it would be divided between b and c.
        TestGraph graph = new TestGraph().input("x", 1).weights("v", 1000).weights("w", 1000).node("a", 10, "x,v")
                .node("b", 500, "a").node("c", 400, "b").node("d", 5, "c,b").node("e", 10, "d,w").output("e");
        Partitioning partitioning = Partitioner.into(2).partition(graph.graph(), graph.infer());
        assertEquals(List.of("d"), partitioning.crossings().stream().map(Crossing::tensor).toList());
    }

    @Test
    void branchesStayTogetherWhateverTheOrder() {
        // Two chains that take turns: a slice of that order cuts both.
        TestGraph graph = new TestGraph().input("x", 1).weights("w", 100).weights("v", 100).node("a0", 50, "x,w")
                .node("b0", 50, "x,v").node("a1", 50, "a0").node("b1", 50, "b0").node("a2", 50, "a1")
                .node("b2", 50, "b1").node("a3", 1, "a2").node("b3", 1, "b2").node("c", 1, "a3,b3").output("c");
        Partitioning partitioning = Partitioner.into(2).partition(graph.graph(), graph.infer());
        assertEquals(1, partitioning.crossings().size());
        assertEquals('3', partitioning.crossings().getFirst().tensor().charAt(1));
    }

    /** Where tensors are as large before a function of each element as behind it, they cross behind it: runtimes fuse it with what is before it. */
    @Test
    void whatIsFusedStaysTogether() {
        TestGraph graph = new TestGraph().input("x", 1).weights("v", 1000).weights("w", 1000).weights("k", 1)
                .node("a", 500, "x,v").foreignNode("", "Add", "b", 500, "a,k")
                .foreignNode("", "Relu", "c", 500, "b").node("d", 500, "c,w").output("d");
        assertEquals(List.of("c"), crossing(graph));
        // A sum with a constant that is larger.
        TestGraph grown = new TestGraph().input("x", 1).weights("v", 10_000).weights("w", 1).weights("k", 500)
                .node("z", 500, "x,v").node("a", 1, "z").foreignNode("", "Add", "b", 500, "k,a")
                .node("c", 1, "b,w").output("c");
        assertEquals(List.of("a"), crossing(grown));
        // What others take as well is there in any case; what is a result, too.
        TestGraph taken = new TestGraph().input("x", 1).weights("v", 10).weights("w", 2000)
                .node("a", 500, "x,v").foreignNode("", "Relu", "c", 500, "a")
                .node("d", 500, "c,w").output("d").output("a");
        assertEquals(3, Partitioner.into(3).partition(taken.graph(), taken.infer()).partCount());
        // With nothing else to divide.
        TestGraph small = new TestGraph().input("x", 1).weights("v", 10).node("a", 5, "x,v")
                .foreignNode("", "Relu", "b", 5, "a").output("b");
        assertEquals(List.of("a"), crossing(small));
    }

    @Test
    void fewTensorsRatherThanMany() {
        TestGraph graph = new TestGraph().input("x", 1).weights("v", 1000).weights("w", 1000).node("a", 500, "x,v")
                .node("b", 200, "a").node("c", 200, "a").node("d", 300, "b,c,w").output("d");
        assertEquals(List.of("a"), crossing(graph));
    }

    /** Each is made of the two before it: as a tree these would be 2^70. */
    @Test
    void constantsMadeOfConstants() {
        TestGraph graph = new TestGraph().input("x", 8).foreignNode("", "Constant", "c0", 8, "")
                .foreignNode("", "Constant", "c1", 8, "");
        for (int i = 2; i < 100; i++) {
            graph.foreignNode("", "Add", "c" + i, 8, "c" + (i - 1) + ",c" + (i - 2));
        }
        graph.node("a", 16, "x,c99").node("b", 16, "a,c98").output("b");
        Partitioning partitioning = Partitioner.into(2).partition(graph.graph(), graph.infer());
        assertEquals(List.of("a"), partitioning.crossings().stream().map(Crossing::tensor).toList());
        assertEquals(List.of(101, 100), partitioning.parts().stream().map(part -> part.nodes().size()).toList());
    }

    private static List<String> crossing(TestGraph graph) {
        return Partitioner.into(2).partition(graph.graph(), graph.infer()).crossings().stream().map(Crossing::tensor)
                .toList();
    }

    @Test
    void rulesAnnotationsAndPinsCountMoreAndMore() {
        TestGraph graph = new TestGraph().input("x", 1).node("Conv", "a", 1, "x", Map.of())
                .node("Relu", "part1/b", 1, "a", Map.of())
                .node("Conv", "c", 1, "part1/b", Map.of(Partitioner.METADATA, " 2 "))
                .node("Relu", "d", 1, "c", Map.of())
                .output("d");
        Partitioner byRule = Partitioner.into(3).withRule("test.Conv", 0);
        assertEquals(
                "node 'part1/b' (test.Relu) must be in part 1 or later, as it has been put there, and in part 0 or "
                        + "earlier, as node 'c' (test.Conv) is",
                refusal(byRule.withPins(node -> node.name().equals("part1/b") ? OptionalInt.of(1)
                        : OptionalInt.empty()), graph));
        assertEquals("where nodes have been put leaves no division into 3 parts of which each has a node",
                refusal(byRule, graph));
        assertEquals(List.of(List.of("a"), List.of("part1/b"), List.of("c", "d")), byRule.withAnnotations()
                .partition(graph.graph(), graph.infer()).parts().stream().map(PartitionerTest::names).toList());
        assertEquals(List.of(List.of("a"), List.of("part1/b", "c", "d")), Partitioner.into(2)
                .withPins(node -> OptionalInt.of(node.name().equals("a") ? 0 : 1)).withAnnotations()
                .partition(graph.graph(), graph.infer()).parts().stream().map(PartitionerTest::names).toList());
    }

    @Test
    void whatCannotBeIsNamed() {
        TestGraph graph = new TestGraph().input("x", 1).node("a", 1, "x").node("part7/b", 1, "a").output("part7/b");
        assertEquals("node 'part7/b' (test.Make) is put into part 7; parts are 0 to 1",
                refusal(Partitioner.into(2).withAnnotations(), graph));
        TestGraph said = new TestGraph().input("x", 1)
                .node("Make", "a", 1, "x", Map.of(Partitioner.METADATA, "first")).output("a");
        assertEquals("node 'a' (test.Make) has metadata verbena.part='first', where the number of a part belongs",
                refusal(Partitioner.into(1).withAnnotations(), said));
        assertEquals("a graph of 1 nodes cannot be divided into 2 parts", refusal(Partitioner.into(2), said));
    }

    private static String refusal(Partitioner partitioner, TestGraph graph) {
        return assertThrows(PartitionException.class, () -> partitioner.partition(graph.graph(), graph.infer()))
                .getMessage();
    }

    private static List<String> names(Part part) {
        return part.nodes().stream().map(OnnxNode::name).toList();
    }
}
