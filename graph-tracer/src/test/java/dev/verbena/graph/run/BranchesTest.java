package dev.verbena.graph.run;

import static dev.verbena.graph.TestOperations.ints;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Identity;
import dev.verbena.graph.Merge;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Switch;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.Function;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.graph.plan.CrossingEdge;
import dev.verbena.graph.run.memory.TestAllocator;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.ArrivalMode;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Of two branches one runs, wherever its nodes are placed, and what is of the other is dead. */
class BranchesTest {
    private static final long[] SHAPE = {4};
    private static final int RUNS = 6;
    private final Graph graph = new Graph();

    private static SessionOptions options(boolean tracing, int depth) {
        return new SessionOptions(tracing, depth, Duration.ofSeconds(20));
    }

    private Node predicate(String name, String task) {
        return graph.add(name, task, new Feed(TensorType.of(ElementType.BOOL)));
    }

    private static Tensor truth(TestAllocator allocator, boolean value) {
        Tensor tensor = allocator.allocate(ElementType.BOOL, Shape.of());
        tensor.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) (value ? 1 : 0));
        return tensor;
    }

    /** Null for what is dead. */
    private static List<int[]> run(Session session, Map<String, Boolean> predicates, List<Output> fetches,
            Node... targets) {
        TestAllocator memory = new TestAllocator();
        Map<String, Tensor> feeds = new HashMap<>();
        predicates.forEach((name, value) -> feeds.put(name, truth(memory, value)));
        List<int[]> values = new ArrayList<>();
        for (Tensor tensor : session.run(feeds, fetches, List.of(targets))) {
            values.add(tensor == null ? null : ints(tensor));
            if (tensor != null) {
                tensor.close();
            }
        }
        feeds.values().forEach(Tensor::close);
        return values;
    }

    private static int mixed(int seed, int value) {
        return TestOperations.mix(seed, seed, value);
    }

    @Test
    void theBranchThatIsTakenRunsAndTheOtherIsDead() {
        AtomicInteger runs = new AtomicInteger();
        Node x = graph.add("x", "a", TestOperations.constant(SHAPE, 5));
        Node branch = graph.add("branch", "a", new Switch(), x.output(), predicate("p", "a").output());
        Node counted = graph.add("counted", "a", new Function("Counted", null, context -> {
            runs.incrementAndGet();
            context.forward(0, 0, context.input(0).shape());
        }), branch.output(Switch.TRUE));
        Node left = graph.add("left", "a", new Mix(1, true), branch.output(Switch.FALSE));
        Node right = graph.add("right", "a", new Mix(2, true), counted.output());
        Node merged = graph.add("merged", "a", new Merge(), left.output(), right.output());
        List<Output> fetches = List.of(merged.output(), left.output(), right.output(), branch.output(Switch.TRUE));
        try (Session session = Sessions.local(graph, options(true, 1))) {
            List<int[]> taken = run(session, Map.of("p", true), fetches);
            assertEquals(mixed(2, 5), taken.get(0)[3]);
            assertNull(taken.get(1));
            assertEquals(mixed(2, 5), taken.get(2)[0]);
            assertEquals(5, taken.get(3)[0]);
            assertEquals(1, runs.get());
            List<int[]> other = run(session, Map.of("p", false), fetches);
            assertEquals(mixed(1, 5), other.get(0)[0]);
            assertEquals(mixed(1, 5), other.get(1)[0]);
            assertNull(other.get(2));
            assertNull(other.get(3));
            assertEquals(1, runs.get());
        }
    }

    /** And who reads it, or waits for the change, goes on. */
    @Test
    void aVariableIsChangedInTheBranchThatIsTakenOnly() {
        Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 1));
        Node ten = graph.add("ten", "a", TestOperations.constant(SHAPE, 10));
        Node branch = graph.add("branch", "a", new Switch(), ten.output(), predicate("p", "a").output());
        Node before = graph.add("before", "a", new Identity(), w.output());
        Node change = graph.add("change", "a", new AddTo(), w.output(), branch.output(Switch.TRUE));
        Node behind = graph.add("behind", "a", new Identity(), List.of(w.output()), List.of(change));
        List<Output> fetches = List.of(before.output(), behind.output(), change.output());
        try (Session session = Sessions.local(graph, options(true, 1))) {
            int expected = 1;
            for (boolean isTaken : new boolean[]{false, true, true, false, true}) {
                List<int[]> values = run(session, Map.of("p", isTaken), fetches);
                assertEquals(expected, values.get(0)[0]);
                expected += isTaken ? 10 : 0;
                assertEquals(expected, values.get(1)[0]);
                assertEquals(isTaken, values.get(2) != null);
            }
        }
    }

    /** Placed on two tasks, by turns. */
    @ParameterizedTest
    @CsvSource({"true, 1, AUTO", "false, 1, TAIL", "true, 2, IMMEDIATE"})
    void thePeerIsToldWhatIsDead(boolean tracing, int depth, ArrivalMode mode) throws Exception {
        Node x = graph.add("x", "a", TestOperations.constant(SHAPE, 5));
        Node branch = graph.add("branch", "a", new Switch(), x.output(), predicate("p", "a").output());
        Node left = graph.add("left", "b", new Mix(1, false), branch.output(Switch.FALSE));
        Node right = graph.add("right", "b", new Mix(2, false), branch.output(Switch.TRUE));
        Node merged = graph.add("merged", "b", new Merge(), left.output(), right.output());
        Node back = graph.add("back", "a", new Mix(3, false), merged.output());
        Node leftBack = graph.add("leftBack", "a", new Mix(4, false), left.output());
        assertEquals(List.of("branch:0->b true", "branch:1->b true", "left:0->a true", "merged:0->a false"),
                CrossingEdge.of(graph).stream().map(edge -> edge + " " + edge.mayBeDead()).toList());
        try (DeviceCluster cluster = new DeviceCluster(graph, options(tracing, depth), mode)) {
            cluster.run((task, session) -> {
                for (int i = 0; i < RUNS; i++) {
                    boolean isTaken = i % 3 == 0;
                    List<int[]> values = run(session, task.equals("a") ? Map.of("p", isTaken) : Map.of(),
                            task.equals("a") ? List.of(back.output(), leftBack.output()) : List.of(left.output()), back,
                            leftBack);
                    if (task.equals("a")) {
                        assertEquals(mixed(3, mixed(isTaken ? 2 : 1, 5)), values.getFirst()[0], "run " + i);
                    }
                    assertEquals(isTaken, values.getLast() == null, "run " + i);
                }
            });
            SessionStatistics a = cluster.statistics.get("a");
            assertEquals(RUNS, a.transfersDynamic(), "one of both branches in each run");
            assertEquals(tracing ? 1 : RUNS, a.copiesFirst() + a.copiesLater());
            assertEquals(RUNS - RUNS / 3, cluster.statistics.get("b").transfersDynamic());
        }
    }

    @Test
    void whatMayBeDeadIsToldByTheBranchesAndWhereTheyMeet() {
        Node p = predicate("p", "a");
        Node q = predicate("q", "a");
        Node x = graph.add("x", "a", TestOperations.constant(SHAPE, 5));
        Node outer = graph.add("outer", "a", new Switch(), x.output(), p.output());
        Node inner = graph.add("inner", "a", new Switch(), outer.output(Switch.TRUE), q.output());
        Node innerMerged = graph.add("innerMerged", "a", new Merge(), inner.output(0), inner.output(1));
        Node outerMerged = graph.add("outerMerged", "a", new Merge(), innerMerged.output(), outer.output(0));
        Node second = graph.add("second", "a", new Switch(), x.output(), p.output());
        Node ofTwo = graph.add("ofTwo", "a", new Merge(), outer.output(0), second.output(1));
        Node half = graph.add("half", "a", new Merge(), outer.output(1), inner.output(0));
        Node unlike = graph.add("unlike", "a", new Merge(), outer.output(0), inner.output(0));
        Node always = graph.add("always", "a", new Merge(), outer.output(0), x.output());
        Node never = graph.add("never", "a", new Mix(1, false), outer.output(0), second.output(1));
        List<Node> producers = List.of(x, outer, inner, innerMerged, outerMerged, ofTwo, half, unlike, always, never);
        producers.forEach(node -> graph.add("reads " + node, "b", new Mix(1, false), node.output()));
        assertEquals(new TreeSet<>(List.of("outer", "inner", "innerMerged", "half", "unlike", "never")),
                new TreeSet<>(CrossingEdge.of(graph).stream().filter(CrossingEdge::mayBeDead)
                        .map(edge -> edge.producer().name()).toList()));
    }

    @Test
    void badBranchesAreRefused() {
        Node x = graph.add("x", "a", TestOperations.constant(SHAPE, 5));
        String refusal = assertThrows(IllegalArgumentException.class,
                () -> graph.add("branch", "a", new Switch(), x.output(), x.output())).getMessage();
        assertEquals("node 'branch' (Switch): predicate of type=INT32[4]; give one element of type=BOOL", refusal);
        Node p = predicate("p", "a");
        refusal = assertThrows(IllegalArgumentException.class,
                () -> graph.add("merge", "a", new Merge(), x.output(), p.output())).getMessage();
        assertTrue(refusal.endsWith("give them one element type and rank"), refusal);
        refusal = assertThrows(IllegalArgumentException.class,
                () -> graph.add("decides", "a", new Branching(1, false), x.output()))
                .getMessage();
        assertEquals("node 'decides' (Branching) says decidingInput=1 but has inputs=1", refusal);
        refusal = assertThrows(IllegalArgumentException.class, () -> graph.add("merges", "a", new Branching(-1, true)))
                .getMessage();
        assertEquals("node 'merges' (Branching) says that it merges branches but has inputs=0", refusal);
        Node y = graph.add("y", "a", TestOperations.constant(new long[]{3}, 5));
        assertFalse(graph.add("either", "a", new Merge(), x.output(), y.output()).output().type().isStatic());
        Node dies = graph.add("dies", "a", new Function("Dies", x.output().type(), context -> context.setDead(0)));
        try (Session session = Sessions.local(graph, options(true, 1))) {
            refusal = assertThrows(KernelException.class,
                    () -> session.run(Map.of(), List.of(), List.of(dies))).getMessage();
            assertTrue(refusal.contains("Operation.decidingInput"), refusal);
        }
    }

    @Property(tries = 300)
    void whateverTheGraph(@ForAll long seed, @ForAll @IntRange(min = 2, max = 40) int nodeCount,
            @ForAll @IntRange(min = 1, max = 3) int taskCount, @ForAll @IntRange(min = 1, max = 2) int depth)
            throws Exception {
        RandomBranches random = new RandomBranches(seed, nodeCount, taskCount);
        try (Session session = Sessions.local(random.graph(), options(true, 1))) {
            random.check(null, session, RUNS);
        }
        RandomBranches parted = new RandomBranches(seed, nodeCount, taskCount);
        try (LoopbackCluster cluster = new LoopbackCluster(parted.graph(), options(true, depth), Runnable::run)) {
            cluster.run((task, session) -> parted.check(task, session, RUNS));
            cluster.sessions.values().forEach(Session::close);
            cluster.sessions.keySet().forEach(task -> assertEquals(0, cluster.live(task), "leaks, " + task));
        }
    }

    @Property(tries = 10, edgeCases = EdgeCasesMode.NONE)
    void overRealDevicesToo(@ForAll long seed, @ForAll @IntRange(min = 10, max = 40) int nodeCount,
            @ForAll @IntRange(min = 1, max = 2) int depth, @ForAll ArrivalMode mode) throws Exception {
        RandomBranches random = new RandomBranches(seed, nodeCount, 2);
        try (DeviceCluster cluster = new DeviceCluster(random.graph(), options(true, depth), mode)) {
            cluster.run((task, session) -> random.check(task, session, RUNS));
        }
    }

    /** Planned only. */
    private record Branching(int decidingInput, boolean mergesBranches) implements Operation {
        @Override
        public String name() {
            return "Branching";
        }

        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            return List.of();
        }
    }

    /** A graph of branches, and what each run of it must give. */
    private static final class RandomBranches {
        private static final TensorType TRUTH = TensorType.of(ElementType.BOOL);
        private final Random random;
        private final int taskCount;
        private final Graph graph = new Graph();
        private final List<Rule> rules = new ArrayList<>();
        private final List<Output> truths = new ArrayList<>();
        private final List<Output> numbers = new ArrayList<>();

        /** What a node gives, of what its inputs are, in the run; null for what is dead. */
        private interface Rule {
            Integer[] outputs(Map<Output, Integer> values, int run);
        }

        RandomBranches(long seed, int nodeCount, int taskCount) {
            random = new Random(seed);
            this.taskCount = taskCount;
            addCoin();
            addConstant();
            while (rules.size() < nodeCount) {
                switch (random.nextInt(8)) {
                    case 0 -> addCoin();
                    case 1 -> addConstant();
                    case 2, 3, 4 -> addSwitch();
                    case 5 -> addMerge();
                    default -> addMix();
                }
            }
        }

        Graph graph() {
            return graph;
        }

        private Output any(List<Output> of) {
            return of.get(random.nextInt(of.size()));
        }

        private Node add(Operation operation, Rule rule, Output... inputs) {
            Node node = graph.add("n" + rules.size(), "task:" + random.nextInt(taskCount), operation, inputs);
            rules.add(rule);
            return node;
        }

        private static boolean falls(int seed, int run) {
            return new Random(seed + run).nextBoolean();
        }

        private void addCoin() {
            int seed = random.nextInt();
            AtomicInteger run = new AtomicInteger();
            Node coin = add(new Function("Coin", TRUTH, context -> {
                byte value = (byte) (falls(seed, run.getAndIncrement()) ? 1 : 0);
                context.allocateOutput(0, ElementType.BOOL, Shape.of()).memory().set(ValueLayout.JAVA_BYTE, 0, value);
            }), (values, now) -> new Integer[]{falls(seed, now) ? 1 : 0});
            truths.add(coin.output());
        }

        private void addConstant() {
            int value = random.nextInt();
            numbers.add(add(TestOperations.constant(SHAPE, value), (values, run) -> new Integer[]{value}).output());
        }

        private void addSwitch() {
            List<Output> kind = random.nextInt(4) == 0 ? truths : numbers;
            Output data = any(kind);
            Output predicate = any(truths);
            Node node = add(new Switch(), (values, run) -> {
                Integer decision = values.get(predicate);
                Integer value = decision == null ? null : values.get(data);
                return value == null ? new Integer[2]
                        : decision == 1 ? new Integer[]{null, value} : new Integer[]{value, null};
            }, data, predicate);
            kind.add(node.output(0));
            kind.add(node.output(1));
        }

        private void addMerge() {
            Output[] inputs = {any(numbers), any(numbers), any(numbers)};
            numbers.add(add(new Merge(), (values, run) -> {
                Integer merged = null;
                for (int i = inputs.length - 1; i >= 0; i--) {
                    merged = values.get(inputs[i]) != null ? values.get(inputs[i]) : merged;
                }
                return new Integer[]{merged};
            }, inputs).output());
        }

        private void addMix() {
            Output[] inputs = {any(numbers), any(numbers)};
            int seed = random.nextInt();
            numbers.add(add(new Mix(seed, random.nextBoolean()), (values, run) -> {
                int result = seed;
                for (Output input : inputs) {
                    if (values.get(input) == null) {
                        return new Integer[1];
                    }
                    result = TestOperations.mix(seed, result, values.get(input));
                }
                return new Integer[]{result};
            }, inputs).output());
        }

        /** @param task null for all */
        void check(String task, Session session, int runs) {
            List<Node> all = graph.nodes();
            List<Output> fetches = new ArrayList<>(numbers);
            fetches.removeIf(output -> task != null && !output.node().task().equals(task));
            for (int run = 0; run < runs; run++) {
                Map<Output, Integer> values = new HashMap<>();
                for (int i = 0; i < all.size(); i++) {
                    Integer[] outputs = rules.get(i).outputs(values, run);
                    for (int k = 0; k < outputs.length; k++) {
                        values.put(all.get(i).output(k), outputs[k]);
                    }
                }
                List<Tensor> fetched = session.run(Map.of(), fetches, all);
                for (int i = 0; i < fetches.size(); i++) {
                    Integer expected = values.get(fetches.get(i));
                    if (expected == null) {
                        assertNull(fetched.get(i), fetches.get(i) + " in run " + run + " is dead");
                    } else {
                        assertArrayEquals(new int[]{expected, expected, expected, expected}, ints(fetched.get(i)),
                                fetches.get(i) + " in run " + run);
                        fetched.get(i).close();
                    }
                }
            }
        }
    }
}
