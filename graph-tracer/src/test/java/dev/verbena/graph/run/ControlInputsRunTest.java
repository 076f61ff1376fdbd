package dev.verbena.graph.run;

import static dev.verbena.graph.TestOperations.ints;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Identity;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.Effect;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.TransferException;

/** Nodes with control inputs run after them, in one process and in many. */
class ControlInputsRunTest {
    private static final long[] SHAPE = {4};
    private static final int RUNS = 6;
    private final Graph graph = new Graph();

    private static SessionOptions options(boolean tracing, int depth) {
        return new SessionOptions(tracing, depth, Duration.ofSeconds(20));
    }

    private static int[] fetched(Session session, Node node, Node... targets) {
        try (Tensor tensor = session.run(Map.of(), List.of(node.output()), List.of(targets)).getFirst()) {
            return ints(tensor);
        }
    }

    /** A variable, read before, between and behind two changes of it, by what control inputs say. */
    private Node[] readers() {
        Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 1, 2, 3, 4));
        Node ten = graph.add("ten", "a", TestOperations.constant(SHAPE, 10));
        Node before = graph.add("before", "a", new Identity(), w.output());
        Node first = graph.add("first", "a", new AddTo(), w.output(), ten.output());
        Node far = graph.add("far", "b", new Effect("Far", context -> {}), List.of(), List.of(first));
        Node between = graph.add("between", "a", new Identity(), List.of(w.output()), List.of(far));
        Node second = graph.add("second", "a", new AddTo(), List.of(w.output(), ten.output()), List.of(far));
        Node behind = graph.add("behind", "a", new Identity(), List.of(w.output()), List.of(second));
        Node there = graph.add("there", "b", new Mix(3, false), behind.output());
        return new Node[]{before, between, behind, there};
    }

    private static void checkReaders(Session session, String task, Node[] readers) {
        for (int run = 0; run < RUNS; run++) {
            int base = 1 + 20 * run;
            List<Node> here = List.of(readers).stream().filter(reader -> task == null || reader.task().equals(task))
                    .toList();
            List<Tensor> fetched = session.run(Map.of(), here.stream().map(Node::output).toList(), List.of(readers));
            for (int i = 0; i < here.size(); i++) {
                int expected = switch (here.get(i).name()) {
                    case "before" -> base;
                    case "between" -> base + 10;
                    case "behind" -> base + 20;
                    default -> TestOperations.mix(3, 3, base + 20);
                };
                assertEquals(expected, ints(fetched.get(i))[0], here.get(i) + " in run " + run);
            }
            fetched.forEach(Tensor::close);
        }
    }

    @Test
    void aVariableIsReadAsTheControlInputsLeaveIt() {
        Node[] readers = readers();
        try (Session session = Sessions.local(graph, options(true, 1))) {
            checkReaders(session, null, readers);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 1, AUTO", "false, 1, TAIL", "true, 2, IMMEDIATE"})
    void andWhateverTaskTheControlInputsAreOn(boolean tracing, int depth, ArrivalMode mode) throws Exception {
        Node[] readers = readers();
        try (DeviceCluster cluster = new DeviceCluster(graph, options(tracing, depth), mode)) {
            cluster.run((task, session) -> checkReaders(session, task, readers));
            SessionStatistics a = cluster.statistics.get("a");
            assertEquals(2 * RUNS, a.transfersStatic(), "the word of first, and what is behind");
            assertEquals(1, a.copiesFirst(), "a word is never copied");
            assertEquals(tracing ? 0 : RUNS - 1, a.copiesLater());
            assertEquals(1 + 16, a.crossingByteSize());
            assertEquals(options(tracing, depth).plan(graph, true).plannedByteSize("a"), a.plannedByteSize());
            SessionStatistics b = cluster.statistics.get("b");
            assertEquals(RUNS, b.transfersStatic());
            assertEquals(0, b.copiesFirst() + b.copiesLater());
            assertEquals(0, b.sitesRegistered(), "nobody allocates a word");
        }
    }

    /** What happens on three tasks in turns, where no tensor says in which. */
    @Test
    void effectsOfManyTasksHappenInOrder() throws Exception {
        AtomicInteger clock = new AtomicInteger();
        AtomicIntegerArray times = new AtomicIntegerArray(9);
        Node last = null;
        for (int i = 0; i < times.length(); i++) {
            int index = i;
            last = graph.add("effect" + i, "task:" + i % 3,
                    new Effect("Effect", context -> times.set(index, clock.incrementAndGet())), List.of(),
                    last == null ? List.of() : List.of(last));
        }
        Node target = last;
        LoopbackCluster cluster = new LoopbackCluster(graph, options(true, 1), Runnable::run);
        for (int run = 0; run < RUNS; run++) {
            cluster.run(1, target);
            for (int i = 0; i < times.length(); i++) {
                assertEquals(run * times.length() + i + 1, times.get(i), "effect" + i + " in run " + run);
            }
        }
        assertEquals(3 * RUNS, cluster.statistics("task:0").transfersStatic());
        cluster.close();
        cluster.sessions.keySet().forEach(task -> assertEquals(0, cluster.live(task), task));
    }

    /** The word goes where no tensor does, run by run. */
    @Test
    void whereAnOutputCrossesNoWordDoes() throws Exception {
        Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 7));
        Node waits = graph.add("waits", "b", TestOperations.constant(SHAPE, 8), List.of(), List.of(c));
        Node reads = graph.add("reads", "b", new Mix(1, false), c.output());
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                for (int run = 0; run < RUNS; run++) {
                    Node[] targets = run % 2 == 0 ? new Node[]{waits, reads} : new Node[]{waits};
                    if (task.equals("b")) {
                        assertArrayEquals(new int[]{8, 8, 8, 8}, fetched(session, waits, targets));
                    } else {
                        session.run(Map.of(), List.of(), List.of(targets[0], targets[targets.length - 1], waits));
                    }
                }
            });
            assertEquals(RUNS, cluster.statistics.get("a").transfersStatic(), "one of the two edges in each run");
        }
    }

    @Test
    void whoWaitsForAWordSaysForWhich() throws Exception {
        Node slow = graph.add("slow", "a", new Effect("Slow", context -> {}));
        Node waits = graph.add("waits", "b", new Effect("Waits", context -> {}), List.of(), List.of(slow));
        try (LoopbackCluster cluster = new LoopbackCluster(graph,
                new SessionOptions(true, 1, Duration.ofMillis(300)), Runnable::run)) {
            String message = assertThrows(TransferException.class,
                    () -> cluster.sessions.get("b").run(Map.of(), List.of(), List.of(waits))).getMessage();
            assertTrue(message.contains("for word that node 'slow' has run from task=a (edge slow:control->b)"),
                    message);
        }
    }
}
