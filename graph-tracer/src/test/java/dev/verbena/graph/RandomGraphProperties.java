package dev.verbena.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.ArrivalMode;

/** Whatever the graph and its placement: the same bits as a naive evaluation, no copies after the first iteration, no leaks. */
class RandomGraphProperties {
    private static final int ELEMENTS = 6;
    private static final int ITERATIONS = 4;

    /** A random graph, and what it computes, evaluated node by node. */
    private static final class RandomGraph {
        final Graph graph = new Graph();
        final List<Graph.Node> nodes = new ArrayList<>();
        private final Map<Graph.Node, int[]> variables = new HashMap<>();
        private final Random random;

        RandomGraph(long seed, int nodeCount, int taskCount) {
            random = new Random(seed);
            for (int i = 0; i < nodeCount; i++) {
                String task = "task:" + random.nextInt(taskCount);
                nodes.add(graph.add("n" + i, task, operation(i), inputs(i)));
            }
            // Each variable is changed by at most one node, whose result nobody reads, with what is no variable itself: always in
            // order, never a cycle.
            List<Graph.Node> sources = nodes.stream().filter(node -> node.operation() instanceof Mix).toList();
            for (Graph.Node variable : List.copyOf(nodes)) {
                if (variable.operation() instanceof Variable) {
                    variables.put(variable, initial(variable.name()));
                    if (!sources.isEmpty() && random.nextInt(3) > 0) {
                        nodes.add(graph.add("apply-" + variable.name(), variable.task(), new AddTo(), variable.output(),
                                sources.get(random.nextInt(sources.size())).output()));
                    }
                }
            }
        }

        private final Map<Integer, Operation> operations = new HashMap<>();

        private Operation operation(int i) {
            int kind = i < 2 ? random.nextInt(2) : random.nextInt(9);
            Operation operation = switch (kind) {
                case 0 -> TestOperations.constant(new long[]{ELEMENTS}, initial("n" + i));
                case 1 -> TestOperations.variable(new long[]{ELEMENTS}, initial("n" + i));
                case 2, 3 -> new Identity();
                case 4 -> new Mix(random.nextInt(), false);
                default -> new Mix(random.nextInt(), true);
            };
            operations.put(i, operation);
            return operation;
        }

        private Graph.Output[] inputs(int i) {
            return switch (operations.get(i)) {
                case Identity identity -> new Graph.Output[]{any()};
                case Mix mix -> {
                    Graph.Output[] inputs = new Graph.Output[1 + random.nextInt(3)];
                    Arrays.setAll(inputs, k -> any());
                    yield inputs;
                }
                default -> new Graph.Output[0];
            };
        }

        private Graph.Output any() {
            return nodes.get(random.nextInt(nodes.size())).output();
        }

        private static int[] initial(String name) {
            return new Random(name.hashCode()).ints(ELEMENTS).toArray();
        }

        /** All outputs of one iteration by recursion on old values, then the changes. */
        Map<Graph.Node, int[]> evaluate() {
            Map<Graph.Node, int[]> values = new HashMap<>();
            for (Graph.Node node : nodes) {
                List<int[]> inputs = node.inputs().stream().map(input -> values.get(input.node())).toList();
                values.put(node, switch (node.operation()) {
                    case Variable variable -> variables.get(node).clone();
                    case Identity identity -> inputs.getFirst();
                    case Mix mix -> mixed(mix.seed(), inputs);
                    case AddTo add -> sum(inputs.get(0), inputs.get(1));
                    default -> initial(node.name());
                });
            }
            for (Graph.Node node : nodes) {
                if (node.operation() instanceof AddTo) {
                    variables.put(node.inputs().getFirst().node(), values.get(node));
                }
            }
            // Fetches are taken at the end: a variable, or an alias of it on its task, then shows the change.
            for (Graph.Node node : nodes) {
                Graph.Node variable = localAliasOf(node);
                if (variable.operation() instanceof Variable) {
                    values.put(node, variables.get(variable));
                }
            }
            return values;
        }

        private static Graph.Node localAliasOf(Graph.Node node) {
            Graph.Node root = node;
            while (root.operation() instanceof Identity && root.inputs().getFirst().node().task().equals(root.task())) {
                root = root.inputs().getFirst().node();
            }
            return root;
        }

        private static int[] mixed(int seed, List<int[]> inputs) {
            int[] result = new int[ELEMENTS];
            for (int i = 0; i < ELEMENTS; i++) {
                result[i] = seed;
                for (int[] input : inputs) {
                    result[i] = TestOperations.mix(seed, result[i], input[i]);
                }
            }
            return result;
        }

        private static int[] sum(int[] a, int[] b) {
            int[] result = new int[ELEMENTS];
            Arrays.setAll(result, i -> a[i] + b[i]);
            return result;
        }
    }

    @Property(tries = 150)
    void distributedEqualsNaive(@ForAll long seed, @ForAll @IntRange(min = 2, max = 40) int nodeCount,
            @ForAll @IntRange(min = 1, max = 4) int taskCount, @ForAll @IntRange(min = 1, max = 2) int depth,
            @ForAll boolean otherThread) throws Exception {
        RandomGraph random = new RandomGraph(seed, nodeCount, taskCount);
        List<Map<Graph.Node, int[]>> expected = new ArrayList<>();
        for (int i = 0; i < ITERATIONS; i++) {
            expected.add(random.evaluate());
        }
        SessionOptions options = new SessionOptions(true, depth, Duration.ofSeconds(20));
        try (ExecutorService poller = Executors.newSingleThreadExecutor();
                LoopbackCluster cluster = new LoopbackCluster(random.graph, options,
                        command -> complete(otherThread, poller, command))) {
            cluster.run((task, session) -> runTask(random, task, session, expected));
            for (String task : cluster.sessions.keySet()) {
                assertEquals(0, cluster.statistics(task).copiesLater(), "copies later, " + task);
            }
            cluster.sessions.values().forEach(Session::close);
            cluster.sessions.keySet().forEach(task -> assertEquals(0, cluster.live(task), "leaks, " + task));
        }
    }

    @Property(tries = 15, edgeCases = EdgeCasesMode.NONE)
    void overRealDevicesToo(@ForAll long seed, @ForAll @IntRange(min = 10, max = 40) int nodeCount,
            @ForAll @IntRange(min = 2, max = 3) int taskCount, @ForAll @IntRange(min = 1, max = 2) int depth,
            @ForAll ArrivalMode arrivalMode) throws Exception {
        RandomGraph random = new RandomGraph(seed, nodeCount, taskCount);
        List<Map<Graph.Node, int[]>> expected = new ArrayList<>();
        for (int i = 0; i < ITERATIONS; i++) {
            expected.add(random.evaluate());
        }
        SessionOptions options = new SessionOptions(true, depth, Duration.ofSeconds(20));
        try (DeviceCluster cluster = new DeviceCluster(random.graph, options, arrivalMode)) {
            cluster.run((task, session) -> runTask(random, task, session, expected));
            for (String task : cluster.statistics.keySet()) {
                assertEquals(0, cluster.statistics.get(task).copiesLater(), "copies later, " + task);
            }
        }
    }

    /** At once, or on another thread after a moment, so that completions and readers come in any order. */
    private static void complete(boolean otherThread, ExecutorService poller, Runnable command) {
        if (!otherThread) {
            command.run();
            return;
        }
        poller.execute(() -> {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(50_000));
            command.run();
        });
    }

    private static void runTask(RandomGraph random, String task, Session session,
            List<Map<Graph.Node, int[]>> expected) {
        // Every third node is fetched where it is; all are targets everywhere, so in-place nodes find all kinds of company.
        List<Graph.Output> fetches = random.nodes.stream()
                .filter(node -> node.task().equals(task) && node.name().hashCode() % 3 == 0).map(Graph.Node::output)
                .toList();
        for (Map<Graph.Node, int[]> values : expected) {
            List<Tensor> fetched = session.run(Map.of(), fetches, random.nodes);
            for (int i = 0; i < fetched.size(); i++) {
                Graph.Node node = fetches.get(i).node();
                assertArrayEquals(values.get(node), TestOperations.ints(fetched.get(i)), () -> node + " on " + task);
                fetched.get(i).close();
            }
        }
    }
}
