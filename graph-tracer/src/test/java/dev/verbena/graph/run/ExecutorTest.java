package dev.verbena.graph.run;

import static dev.verbena.graph.TestOperations.ints;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.Effect;
import dev.verbena.graph.plan.Partition;
import dev.verbena.graph.run.edge.SessionCounters;
import dev.verbena.graph.run.execution.Executor;
import dev.verbena.graph.run.execution.TestActivity;
import dev.verbena.graph.run.execution.TransferKernel;
import dev.verbena.graph.run.memory.SessionMemory;
import dev.verbena.graph.run.memory.SessionTracer;
import dev.verbena.graph.run.memory.TestAllocator;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.TransferException;

/** The three modes, waiting, and what ends a run. */
class ExecutorTest {
    private static final long[] SHAPE = {4};
    private static final Operation ONE = TestOperations.constant(SHAPE, 1);
    private final Graph graph = new Graph();
    private final TestAllocator allocator = new TestAllocator();
    private final List<String> order = new ArrayList<>();
    private final TestActivity activity = new TestActivity();
    private Executor executor;
    private Session session;

    private Session session(Duration timeout) {
        Partition partition = Partition.whole(graph);
        executor = new Executor("task=a", partition.placed().size(), activity, timeout.toNanos(), System::nanoTime,
                SessionListener.NONE);
        session = new GraphSession(partition, NodeKernels.of(partition, Kernels.standard(), Map.of()),
                SessionMemory.ordinaryOnly(new SessionTracer(true, null), allocator),
                new SessionCounters(), executor, new SessionResources(), 0, 0);
        return session;
    }

    private void run(Graph.Node... targets) {
        session(Duration.ofSeconds(30)).run(Map.of(), List.of(), List.of(targets));
    }

    @AfterEach
    void nothingLeaks() {
        if (session != null) {
            session.close();
        }
        assertEquals(0, allocator.live());
    }

    /** Ready when told so; says in {@link #order} when it was polled and started. */
    private Operation polling(String name, BooleanSupplier ready) {
        return new TestOperations.PollingAsynchronous() {
            @Override
            public String name() {
                return "Polling";
            }

            @Override
            public List<TensorType> infer(List<TensorType> inputs) {
                return List.of();
            }

            @Override
            public boolean poll(KernelContext context) {
                order.add(name + "?");
                return ready.getAsBoolean();
            }

            @Override
            public void start(KernelContext context, Consumer<Throwable> done) {
                order.add(name + "!");
                done.accept(null);
            }
        };
    }

    private Operation asynchronous(Consumer<Consumer<Throwable>> kernel) {
        return new TestOperations.Asynchronous() {
            @Override
            public String name() {
                return "Async";
            }

            @Override
            public List<TensorType> infer(List<TensorType> inputs) {
                return List.of(TensorType.of(ElementType.INT32, SHAPE));
            }

            @Override
            public void start(KernelContext context, Consumer<Throwable> done) {
                TestOperations.fill(context.allocateOutput(0, ElementType.INT32, Shape.of(SHAPE)), 42);
                kernel.accept(done);
            }
        };
    }

    @Test
    void aPollerThatIsNotReadyGoesToTheTail() {
        int[] polls = {0};
        Graph.Node p = graph.add("p", "a", polling("p", () -> ++polls[0] == 3));
        Graph.Node x = graph.add("x", "a", new Effect("X", context -> order.add("x")));
        Graph.Node y = graph.add("y", "a", new Effect("Y", context -> order.add("y")));
        run(p, x, y);
        assertEquals(List.of("p?", "x", "y", "p?", "p?", "p!"), order);
    }

    @Test
    void nodesThatBecomeReadyQueueBehindAWaitingPoller() {
        boolean[] ready = {false};
        Graph.Node p = graph.add("p", "a", polling("p", () -> ready[0]));
        Graph.Node c = graph.add("c", "a", ONE);
        Graph.Node x = graph.add("x", "a", new Effect("X", context -> {
            order.add("x");
            ready[0] = true;
        }), c.output());
        run(p, x);
        assertEquals(List.of("p?", "p?", "x", "p?", "p!"), order);
    }

    @Test
    void anAsynchronousNodeIsDoneWhenItSaysSoOnAnyThread() throws InterruptedException {
        AtomicReference<Thread> kernelThread = new AtomicReference<>();
        List<Thread> started = new ArrayList<>();
        Graph.Node a = graph.add("a", "a", asynchronous(done -> {
            Thread thread = new Thread(() -> {
                kernelThread.set(Thread.currentThread());
                done.accept(null);
            });
            started.add(thread);
            thread.start();
        }));
        for (Session one = session(Duration.ofSeconds(30)); started.size() < 20;) {
            try (Tensor tensor = one.run(Map.of(), List.of(a.output()), List.of()).getFirst()) {
                assertEquals(42, ints(tensor)[3]);
            }
        }
        assertNotSame(Thread.currentThread(), kernelThread.get());
        for (Thread thread : started) {
            thread.join();
        }
    }

    @Test
    void othersRunWhileAnAsynchronousNodeIsUnderWay() {
        AtomicReference<Consumer<Throwable>> pending = new AtomicReference<>();
        Graph.Node a = graph.add("a", "a", asynchronous(pending::set));
        Graph.Node x = graph.add("x", "a", new Effect("X", context -> pending.get().accept(null)));
        Graph.Node after = graph.add("after", "a", new Effect("After", context -> order.add("after")), a.output());
        run(x, after);
        assertEquals(List.of("after"), order);
    }

    @Test
    void anAsynchronousFailureNamesTheNode() {
        IllegalStateException cause = new IllegalStateException("broken wire");
        Graph.Node a = graph.add("a", "a", asynchronous(done -> done.accept(cause)));
        KernelException e = assertThrows(KernelException.class, () -> run(a));
        assertEquals("task=a: node 'a' (Async) failed: broken wire", e.getMessage());
        assertEquals(cause, e.getCause());
    }

    @Test
    void aKernelThatThrowsWhileStartingIsNotWaitedFor() {
        Graph.Node a = graph.add("a", "a", asynchronous(done -> {
            throw new IllegalArgumentException("cannot start");
        }));
        assertTrue(assertThrows(KernelException.class, () -> run(a)).getMessage().contains("cannot start"));
        assertEquals(0, allocator.live());
    }

    @Test
    void sayingDoneTwiceIsRefused() {
        AtomicReference<Throwable> refused = new AtomicReference<>();
        Graph.Node a = graph.add("a", "a", asynchronous(done -> {
            done.accept(null);
            refused.set(assertThrows(IllegalStateException.class, () -> done.accept(null)));
        }));
        run(a);
        assertTrue(refused.get().getMessage().contains("node 'a' (Async) says that it is done twice"),
                refused.get().getMessage());
    }

    /** What was handed out in one run cannot end the next, even while the node is under way again. */
    @Test
    void aSecondDoneOfAnEarlierRunIsRefused() {
        List<Consumer<Throwable>> handedOut = new ArrayList<>();
        Graph.Node a = graph.add("a", "a", asynchronous(done -> {
            if (!handedOut.isEmpty()) {
                IllegalStateException late = new IllegalStateException("late");
                assertThrows(IllegalStateException.class, () -> handedOut.getFirst().accept(late));
            }
            handedOut.add(done);
            done.accept(null);
        }));
        Session twice = session(Duration.ofSeconds(30));
        twice.run(Map.of(), List.of(), List.of(a));
        twice.run(Map.of(), List.of(), List.of(a));
        assertEquals(2, handedOut.size());
        assertEquals(2, twice.statistics().iterations());
    }

    @Test
    void aFailureWaitsForWhatIsUnderWay() throws InterruptedException {
        CountDownLatch failed = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        Graph.Node slow = graph.add("slow", "a", asynchronous(done -> {
            Thread thread = new Thread(() -> {
                try {
                    failed.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                done.accept(null);
            });
            threads.add(thread);
            thread.start();
        }));
        Graph.Node bad = graph.add("bad", "a", new Effect("Bad", context -> {
            failed.countDown();
            throw new IllegalStateException("boom");
        }));
        assertThrows(KernelException.class, () -> run(slow, bad));
        assertEquals(0, allocator.live());
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void aDeadlineNamesTheNodesWaitedFor() {
        Graph.Node p = graph.add("p", "a", polling("p", () -> false));
        String message = assertThrows(TransferException.class,
                () -> session(Duration.ofMillis(30)).run(Map.of(), List.of(), List.of(p))).getMessage();
        assertEquals("task=a waited in vain for timeoutMs=30 for node 'p' (Polling)", message);
        assertTrue(order.size() > 1);
    }

    @Test
    void aDeadlineCountsFromTheLastProgress() {
        // Each fruitless pass takes a millisecond, each of three waits six passes, the deadline is ten.
        long[] nowNs = {0};
        int[] stage = {0};
        int[] polls = new int[3];
        Graph.Node[] pollers = new Graph.Node[3];
        for (int i = 0; i < pollers.length; i++) {
            int mine = i;
            pollers[i] = graph.add("p" + i, "a", polling("p" + i, () -> {
                boolean ready = stage[0] == mine && ++polls[mine] > 6;
                stage[0] += ready ? 1 : 0;
                return ready;
            }));
        }
        Partition partition = Partition.whole(graph);
        executor = new Executor("task=a", partition.placed().size(), activity, 10_000_000,
                () -> nowNs[0] += 1_000_000, SessionListener.NONE);
        session = new GraphSession(partition, NodeKernels.of(partition, Kernels.standard(), Map.of()),
                SessionMemory.ordinaryOnly(new SessionTracer(true, null), allocator),
                new SessionCounters(), executor, new SessionResources(), 0, 0);
        session.run(Map.of(), List.of(), List.of(pollers));
        assertEquals(1, session.statistics().iterations());
        assertTrue(nowNs[0] > 10_000_000, "together they waited longer than the deadline");
    }

    /** Each look at the clock is a millisecond; the first wait takes 50 passes, the second 40. */
    @Test
    void aListenerHearsWhatARunWaitsFor() {
        long[] nowNs = {0};
        List<String> heard = new ArrayList<>();
        List<Long> waitedNs = new ArrayList<>();
        int[] polls = new int[2];
        Graph.Node p = graph.add("p", "a", polling("p", () -> ++polls[0] > 50));
        Graph.Node q = graph.add("q", "a", polling("q", () -> polls[0] > 50 && ++polls[1] > 40));
        Partition partition = Partition.whole(graph);
        executor = new Executor("task=a", partition.placed().size(), activity, 1_000_000_000,
                () -> nowNs[0] += 1_000_000, new SessionListener() {
                    @Override
                    public void onIdle(long waited, long left, Supplier<String> forWhat) {
                        assertEquals(1_000_000_000, waited + left);
                        waitedNs.add(waited);
                        heard.add(forWhat.get());
                    }
                });
        session = new GraphSession(partition, NodeKernels.of(partition, Kernels.standard(), Map.of()),
                SessionMemory.ordinaryOnly(new SessionTracer(true, null), allocator),
                new SessionCounters(), executor, new SessionResources(), 0, 0);
        session.run(Map.of(), List.of(), List.of(p, q));
        assertEquals("node 'p' (Polling), node 'q' (Polling)", heard.getFirst());
        assertEquals("node 'q' (Polling)", heard.getLast());
        int second = heard.indexOf(heard.getLast());
        assertTrue(waitedNs.get(second - 1) > waitedNs.getFirst(), () -> "it grows while it lasts: " + waitedNs);
        assertEquals(waitedNs.getFirst(), waitedNs.get(second), () -> "and begins anew with the next: " + waitedNs);
    }

    /** What has been waited for begins with the pass that found nothing; what a transfer does from when it can. */
    @Test
    void aRunKnowsWhereItsTimeWent() {
        long[] nowNs = {0};
        int[] polls = {0};
        AtomicReference<Consumer<Throwable>> done = new AtomicReference<>();
        Graph.Node x = graph.add("x", "a", new Effect("X", _ -> nowNs[0] += 5));
        Graph.Node t = graph.add("t", "a", transfer(() -> {
            nowNs[0] += 20;
            return ++polls[0] == 4;
        }, () -> nowNs[0] += 300));
        Graph.Node y = graph.add("y", "a", asynchronous(done::set));
        Graph.Node z = graph.add("z", "a", new Effect("Z", _ -> nowNs[0] += 50_000), y.output());
        Partition partition = Partition.whole(graph);
        executor = new Executor("task=a", partition.placed().size(), activity, 1_000_000_000, () -> nowNs[0],
                new SessionListener() {
                    @Override
                    public void onIdle(long waited, long left, Supplier<String> forWhat) {
                        nowNs[0] += 4_000;
                        done.get().accept(null);
                    }
                });
        session = new GraphSession(partition, NodeKernels.of(partition, Kernels.standard(), Map.of()),
                SessionMemory.ordinaryOnly(new SessionTracer(true, null), allocator),
                new SessionCounters(), executor, new SessionResources(), 0, 0);
        assertEquals(RunTimes.NONE, session.latestTimes());
        session.run(Map.of(), List.of(), List.of(t, x));
        // Polled when x had run, in vain, twice more while it waited, and with success.
        assertEquals(new RunTimes(4 * 20 + 300 + 5, 40, 320), session.latestTimes());
        assertEquals(5 + 20, session.latestTimes().computeNs());
        session.run(Map.of(), List.of(), List.of(z));
        assertEquals(new RunTimes(54_000, 4_000, 0), session.latestTimes());
        assertEquals(50_000, session.latestTimes().computeNs());
    }

    private static Operation transfer(BooleanSupplier poll, Runnable start) {
        class Transfer implements TestOperations.PollingAsynchronous, TransferKernel {
            @Override
            public String name() {
                return "Transfer";
            }

            @Override
            public List<TensorType> infer(List<TensorType> inputs) {
                return List.of();
            }

            @Override
            public boolean poll(KernelContext context) {
                return poll.getAsBoolean();
            }

            @Override
            public void start(KernelContext context, Consumer<Throwable> done) {
                start.run();
                done.accept(null);
            }

            @Override
            public String waitsFor() {
                return "nothing";
            }
        }
        return new Transfer();
    }

    @Test
    void anInterruptEndsAWaitAndStaysSet() {
        Graph.Node p = graph.add("p", "a", polling("p", () -> false));
        Session one = session(Duration.ofSeconds(30));
        Thread.currentThread().interrupt();
        String message = assertThrows(TransferException.class, () -> one.run(Map.of(), List.of(), List.of(p)))
                .getMessage();
        assertTrue(message.contains("interrupted") && message.contains("'p'"), message);
        assertTrue(Thread.interrupted());
    }
}
