package dev.verbena.graph.run;

import static dev.verbena.graph.TestOperations.ints;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Merge;
import dev.verbena.graph.Switch;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.graph.run.memory.TestAllocator;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;

/** Sessions whose tensors somebody else carries, here queues of one process. */
class CarriedEdgesTest {
    private static final long[] SHAPE = {4};
    private static final int RUNS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration LATE = Duration.ofSeconds(2);

    private final Graph graph = new Graph();

    private static final class Queues implements EdgeCarrier {
        private final Map<String, ArrayBlockingQueue<Arrival>> queues = new ConcurrentHashMap<>();
        private final Map<String, Runnable> receivers = new ConcurrentHashMap<>();
        private final Map<String, Runnable> senders = new ConcurrentHashMap<>();

        private ArrayBlockingQueue<Arrival> queue(String edge) {
            return queues.computeIfAbsent(edge, _ -> new ArrayBlockingQueue<>(1));
        }

        @Override
        public Outgoing outgoing(String edge, Runnable wakeUp) {
            senders.put(edge, wakeUp);
            return tensor -> {
                boolean isTaken = queue(edge).offer(tensor == null ? new Arrival(null, null, null)
                        : new Arrival(tensor.type(), tensor.shape(),
                                MemorySegment.ofArray(tensor.memory().toArray(ValueLayout.JAVA_BYTE))));
                receivers.getOrDefault(edge, () -> {}).run();
                return isTaken;
            };
        }

        @Override
        public Incoming incoming(String edge, Endpoint sender, Runnable wakeUp) {
            receivers.put(edge, wakeUp);
            return () -> {
                Arrival arrival = queue(edge).poll();
                senders.getOrDefault(edge, () -> {}).run();
                return arrival;
            };
        }
    }

    private static SessionOptions options(EdgeCarrier carrier) {
        return new SessionOptions(true, 1, PATIENCE).withCarrier(carrier);
    }

    /** The first element of what is fetched. */
    private static int run(Session session, boolean isFed, boolean value, Node fetched, Node target) {
        TestAllocator memory = new TestAllocator();
        try (Tensor p = memory.allocate(ElementType.BOOL, Shape.of())) {
            p.memory().set(ValueLayout.JAVA_BYTE, 0, (byte) (value ? 1 : 0));
            try (Tensor tensor = session.run(isFed ? Map.of("p", p) : Map.of(), List.of(fetched.output()),
                    List.of(target)).getFirst()) {
                return ints(tensor)[0];
            }
        }
    }

    @Test
    void tensorsAndDeadOnesGetAcrossAndNothingIsRegisteredForThem() throws Exception {
        Node p = graph.add("p", "a", new Feed(TensorType.of(ElementType.BOOL)));
        Node x = graph.add("x", "a", TestOperations.constant(SHAPE, 5));
        Node branch = graph.add("branch", "a", new Switch(), x.output(), p.output());
        Node left = graph.add("left", "b", new Mix(1, false), branch.output(Switch.FALSE));
        Node right = graph.add("right", "b", new Mix(2, false), branch.output(Switch.TRUE));
        Node merged = graph.add("merged", "b", new Merge(), left.output(), right.output());
        Node back = graph.add("back", "a", new Mix(3, false), merged.output());
        SessionOptions options = options(new Queues());
        assertTrue(options.plan(graph, true).plannedByteSize("b") < options(null).plan(graph, true)
                .plannedByteSize("b"), "registered memory");
        try (DeviceCluster cluster = new DeviceCluster(graph, options, ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                for (int i = 0; i < RUNS; i++) {
                    boolean isTaken = i % 3 == 0;
                    int seed = isTaken ? 2 : 1;
                    assertEquals(task.equals("a") ? mixed(3, mixed(seed, 5)) : mixed(seed, 5),
                            run(session, task.equals("a"), isTaken, task.equals("a") ? back : merged, back),
                            "run " + i);
                }
            });
            SessionStatistics a = cluster.statistics.get("a");
            assertEquals(RUNS, a.copiesFirst() + a.copiesLater(), "each is copied");
        }
    }

    private static int mixed(int seed, int value) {
        return TestOperations.mix(seed, seed, value);
    }

    @Test
    void whoHasNoCarrierDoesNotMeetWhoHas() throws Exception {
        Node x = graph.add("x", "a", TestOperations.constant(SHAPE, 5));
        Node y = graph.add("y", "b", new Mix(1, false), x.output());
        try (DeviceCluster cluster = new DeviceCluster(graph, new SessionOptions(true, 1, LATE), ArrivalMode.AUTO)) {
            cluster.give("b", new SessionOptions(true, 1, LATE).withCarrier(new Queues()));
            TransferException refused = assertThrows(TransferException.class,
                    () -> cluster.run((task, session) -> run(session, false, false, y, y)));
            assertTrue(refused.getMessage().contains("has no receiver 'x:0->b'"), refused.getMessage());
        }
    }

    @Test
    void aCarrierWithATraceIsRefused() {
        SessionOptions options = options(new Queues());
        assertTrue(assertThrows(IllegalArgumentException.class, () -> options.withTrace(Path.of("trace"))).getMessage()
                .contains("trace=trace"));
        assertThrows(IllegalArgumentException.class,
                () -> new SessionOptions(false, 1, PATIENCE).withCarrier(new Queues()));
    }
}
