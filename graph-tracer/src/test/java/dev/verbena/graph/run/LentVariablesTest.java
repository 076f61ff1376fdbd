package dev.verbena.graph.run;

import static dev.verbena.graph.TestOperations.ints;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Identity;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.Effect;
import dev.verbena.graph.TestOperations.Function;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.TransferException;

/** Variables that other tasks read where they lie, over shared memory. */
class LentVariablesTest {
    private static final int ITERATIONS = 5;
    private static final int ELEMENTS = 1 << 18;
    private static final long BYTE_SIZE = 4L * ELEMENTS;

    private final Graph graph = new Graph();
    /** Counts up from 10 by what its readers know nothing of. */
    private final Graph.Node v = graph.add("v", "server", TestOperations.variable(new long[]{ELEMENTS}, 10));
    private final Graph.Node one = graph.add("one", "server", TestOperations.constant(new long[]{ELEMENTS}, 1));
    private final Graph.Node count = graph.add("count", "server", new AddTo(), v.output(), one.output());

    private static SessionOptions options() {
        return new SessionOptions(true, 1, Duration.ofSeconds(20));
    }

    private DeviceCluster cluster(SessionOptions options) {
        return new DeviceCluster(graph, options, ArrivalMode.AUTO);
    }

    @Test
    void areReadWhereTheyLieAndHaveNoSlots() throws Exception {
        List<Integer> seen = new ArrayList<>();
        AtomicBoolean isReadOnly = new AtomicBoolean(true);
        Graph.Node see = graph.add("see", "worker", new Effect("See", context -> {
            seen.add(ints(context.input(0))[ELEMENTS - 1]);
            isReadOnly.compareAndSet(true, context.input(0).memory().isReadOnly());
        }), v.output());
        try (DeviceCluster cluster = cluster(options())) {
            cluster.run((task, session) -> {
                for (int i = 0; i < ITERATIONS; i++) {
                    session.run(Map.of(), List.of(), List.of(see, count));
                }
            });
            assertEquals(List.of(10, 11, 12, 13, 14), seen);
            assertTrue(isReadOnly.get());
            SessionStatistics server = cluster.statistics.get("server");
            assertEquals(ITERATIONS, server.transfersLent());
            assertEquals(0, server.transfersStatic() + server.transfersDynamic());
            assertEquals(1, server.copiesFirst());
            assertEquals(0, server.copiesLater());
            assertTrue(cluster.statistics.get("worker").plannedByteSize() < BYTE_SIZE, "no slot");
            assertTrue(server.plannedByteSize() >= BYTE_SIZE && server.plannedByteSize() < 1.1 * BYTE_SIZE);
        }
    }

    @Test
    void whoCopiesWhatItSendsLendsNothing() throws Exception {
        Graph.Node see = graph.add("see", "worker", new Effect("See", context -> ints(context.input(0))), v.output());
        try (DeviceCluster cluster = cluster(new SessionOptions(false, 1, Duration.ofSeconds(20)))) {
            cluster.run((task, session) -> session.run(Map.of(), List.of(), List.of(see, count)));
            assertEquals(0, cluster.statistics.get("server").transfersLent());
            assertEquals(1, cluster.statistics.get("server").transfersStatic());
        }
    }

    /** All that the change needs is there long before the reader is done. */
    @Test
    void areChangedOnlyWhenTheyHaveBeenRead() throws Exception {
        List<Integer> before = new ArrayList<>();
        List<Integer> after = new ArrayList<>();
        Graph.Node read = graph.add("read", "worker", new Effect("Read", context -> {
            before.add(ints(context.input(0))[0]);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            after.add(ints(context.input(0))[0]);
        }), v.output());
        try (DeviceCluster cluster = cluster(options())) {
            cluster.run((task, session) -> {
                for (int i = 0; i < ITERATIONS; i++) {
                    session.run(Map.of(), List.of(), List.of(read, count));
                }
            });
            assertEquals(List.of(10, 11, 12, 13, 14), before);
            assertEquals(before, after);
        }
    }

    /** Neither a change in place nor a fetch may take what is lent. */
    @Test
    void areNotWrittenToByTheirReadersAndNotKept() throws Exception {
        Graph.Node alias = graph.add("alias", "worker", new Identity(), v.output());
        Graph.Node mixed = graph.add("mixed", "worker", new Mix(3, true), alias.output());
        List<int[]> kept = new ArrayList<>();
        try (DeviceCluster cluster = cluster(options())) {
            cluster.run((task, session) -> {
                boolean isWorker = task.equals("worker");
                List<Tensor> open = new ArrayList<>();
                for (int i = 0; i < ITERATIONS; i++) {
                    List<Tensor> fetched = session.run(Map.of(),
                            isWorker ? List.of(alias.output(), mixed.output()) : List.of(v.output()),
                            isWorker ? List.of(count) : List.of(alias, mixed, count));
                    if (isWorker) {
                        open.addAll(fetched);
                    } else {
                        assertEquals(11 + i, ints(fetched.getFirst())[0]);
                        fetched.forEach(Tensor::close);
                    }
                }
                open.forEach(tensor -> kept.add(ints(tensor)));
                open.forEach(Tensor::close);
            });
        }
        for (int i = 0; i < ITERATIONS; i++) {
            assertEquals(10 + i, kept.get(2 * i)[7]);
            assertEquals(TestOperations.mix(3, 3, 10 + i), kept.get(2 * i + 1)[7]);
        }
    }

    /** Whom the plan does not know for one that does so: the peer waits for nobody else, and what is sent on is in memory of the session's own. */
    @Test
    void areCopiedByWhoForwardsThemUnasked() throws Exception {
        Graph.Node passed = graph.add("passed", "worker", new Function("Pass", null,
                context -> context.forward(0, 0, context.input(0).shape())), v.output());
        List<Integer> seen = new ArrayList<>();
        Graph.Node back = graph.add("back", "server",
                new Effect("See", context -> seen.add(ints(context.input(0))[3])), passed.output());
        graph.add("late", "worker", new Identity(), List.of(passed.output()), List.of(count));
        List<Graph.Node> targets = List.of(back, count, graph.node("late"));
        try (DeviceCluster cluster = cluster(options())) {
            cluster.run((task, session) -> {
                for (int i = 0; i < ITERATIONS; i++) {
                    session.run(Map.of(), List.of(), targets);
                }
            });
            assertEquals(List.of(10, 11, 12, 13, 14), seen);
            SessionStatistics worker = cluster.statistics.get("worker");
            assertEquals(1, worker.copiesFirst());
            assertEquals(0, worker.copiesLater());
        }
    }

    @Test
    void areGivenBackByAReaderThatFails() throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        Graph.Node see = graph.add("see", "worker", new Effect("See", context -> {
            if (fails.get()) {
                throw new IllegalStateException("on purpose");
            }
        }), v.output());
        List<Graph.Node> targets = List.of(see, count);
        try (DeviceCluster cluster = cluster(options())) {
            Exception failure = assertThrows(KernelException.class, () -> cluster.run((task, session) -> {
                session.run(Map.of(), List.of(), targets);
                if (task.equals("worker")) {
                    fails.set(true);
                }
                session.run(Map.of(), List.of(), targets);
            }));
            assertTrue(failure.getMessage().contains("on purpose"), failure.getMessage());
            fails.set(false);
            cluster.run((task, session) -> session.run(Map.of(), List.of(), targets));
            assertEquals(1, cluster.statistics.get("server").transfersLent());
        }
    }

    /** Each has its records there. */
    @Test
    void manyHaveRoomAtWhoOnlyBorrows() throws Exception {
        List<Graph.Node> targets = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            Graph.Node many = graph.add("w" + i, "server", TestOperations.variable(new long[]{3}, i));
            int expected = i;
            targets.add(graph.add("see" + i, "worker",
                    new Effect("See", context -> assertEquals(expected, ints(context.input(0))[2])), many.output()));
        }
        try (DeviceCluster cluster = cluster(options().withLending(1))) {
            cluster.run((task, session) -> {
                session.run(Map.of(), List.of(), targets);
                session.run(Map.of(), List.of(), targets);
            });
            assertEquals(600, cluster.statistics.get("server").transfersLent());
        }
    }

    /** One alone would wait for what the other does not send. */
    @Test
    void areLentByAllTasksOrByNone() {
        Graph.Node see = graph.add("see", "worker", new Effect("See", context -> ints(context.input(0))), v.output());
        try (DeviceCluster cluster = cluster(new SessionOptions(true, 1, Duration.ofSeconds(1)))) {
            cluster.give("worker", new SessionOptions(true, 1, Duration.ofSeconds(1)).withLending(Long.MAX_VALUE));
            Exception failure = assertThrows(TransferException.class,
                    () -> cluster.run((task, session) -> session.run(Map.of(), List.of(), List.of(see, count))));
            assertTrue(failure.getMessage().contains("plan "), failure.getMessage());
        }
    }

    @Test
    void smallOnesAreWrittenUnlessTheOptionsSayOtherwise() throws Exception {
        Graph small = new Graph();
        Graph.Node w = small.add("w", "server", TestOperations.variable(new long[]{3}, 1, 2, 3));
        Graph.Node see = small.add("see", "worker",
                new Effect("See", context -> assertArrayEquals(new int[]{1, 2, 3}, ints(context.input(0)))),
                w.output());
        for (long byteSizeMin : new long[]{options().lentByteSizeMin(), 12, 13}) {
            try (DeviceCluster cluster = new DeviceCluster(small, options().withLending(byteSizeMin),
                    ArrivalMode.AUTO)) {
                cluster.run((task, session) -> session.run(Map.of(), List.of(), List.of(see)));
                assertEquals(byteSizeMin <= 12 ? 1 : 0, cluster.statistics.get("server").transfersLent());
            }
        }
        assertThrows(IllegalArgumentException.class, () -> options().withLending(0));
        assertFalse(options().lentByteSizeMin() > BYTE_SIZE);
    }
}
