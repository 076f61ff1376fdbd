package dev.verbena.graph.run;

import static dev.verbena.graph.TestOperations.ints;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Identity;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Reshape;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.AddToAll;
import dev.verbena.graph.TestOperations.Effect;
import dev.verbena.graph.TestOperations.Function;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.graph.plan.Partition;
import dev.verbena.graph.run.edge.SessionCounters;
import dev.verbena.graph.run.execution.Activity;
import dev.verbena.graph.run.execution.Executor;
import dev.verbena.graph.run.memory.SessionMemory;
import dev.verbena.graph.run.memory.SessionTracer;
import dev.verbena.graph.run.memory.TestAllocator;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Sessions in one process: kernels, storage, feeds and fetches. */
class LocalSessionTest {
    private static final long[] SHAPE = {4};
    private final Graph graph = new Graph();
    private final TestAllocator allocator = new TestAllocator();
    private Session session;

    private Session session() {
        if (session == null) {
            Partition partition = Partition.whole(graph);
            session = new GraphSession(partition, NodeKernels.of(partition, Kernels.standard(), Map.of()),
                    SessionMemory.ordinaryOnly(new SessionTracer(true, null), allocator),
                    new SessionCounters(), new Executor("test", partition.placed().size(), Activity.NONE,
                            Duration.ofSeconds(30).toNanos(), System::nanoTime, SessionListener.NONE),
                    new SessionResources(), 0, 0);
        }
        return session;
    }

    @AfterEach
    void nothingLeaks() {
        if (session != null) {
            session.close();
        }
        assertEquals(0, allocator.live());
    }

    private int[] fetch(Graph.Node node) {
        return fetch(Map.of(), node.output());
    }

    private int[] fetch(Map<String, Tensor> feeds, Graph.Output output) {
        try (Tensor tensor = session().run(feeds, List.of(output), List.of()).getFirst()) {
            return ints(tensor);
        }
    }

    private Tensor tensor(int... values) {
        Tensor tensor = new TestAllocator().allocate(ElementType.INT32, Shape.of(values.length));
        TestOperations.fill(tensor, values);
        return tensor;
    }

    private Function add(String name) {
        return new Function(name, null, context -> {
            Tensor output = context.allocateOutput(0, ElementType.INT32, context.input(0).shape());
            for (int i = 0; i < output.shape().elementCount(); i++) {
                int sum = 0;
                for (int k = 0; k < context.inputCount(); k++) {
                    sum += context.input(k).memory().getAtIndex(ValueLayout.JAVA_INT, i);
                }
                output.memory().setAtIndex(ValueLayout.JAVA_INT, i, sum);
            }
        });
    }

    /** Doubles in place. */
    private Function twice() {
        return new Function("Twice", null, context -> {
            Tensor output = context.outputInPlace(0, 0, context.input(0).shape());
            for (int i = 0; i < output.shape().elementCount(); i++) {
                output.memory().setAtIndex(ValueLayout.JAVA_INT, i,
                        2 * context.input(0).memory().getAtIndex(ValueLayout.JAVA_INT, i));
            }
        });
    }

    @Test
    void runsAcrossTasksInOneProcess() {
        Graph.Node x = graph.add("x", "a", new Feed(TensorType.of(ElementType.INT32, SHAPE)));
        Graph.Node c = graph.add("c", "b", TestOperations.constant(SHAPE, 10, 20, 30, 40));
        Graph.Node sum = graph.add("sum", "a", add("Add"), x.output(), c.output());
        Tensor feed = tensor(1, 2, 3, 4);
        for (int i = 0; i < 3; i++) {
            assertArrayEquals(new int[]{11, 22, 33, 44}, fetch(Map.of("x", feed), sum.output()));
        }
        assertTrue(feed.isOpen());
        assertEquals(3, session().statistics().iterations());
    }

    @Test
    void inPlaceReusesTheStorageOfItsLastReader() {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1, 2, 3, 4));
        Graph.Node t = graph.add("t", "a", twice(), c.output());
        Graph.Node tt = graph.add("tt", "a", twice(), t.output());
        assertArrayEquals(new int[]{4, 8, 12, 16}, fetch(tt));
        assertEquals(1, allocator.allocations());
    }

    @Test
    void inPlaceLeavesAloneWhatOthersStillRead() {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1, 2, 3, 4));
        Graph.Node t = graph.add("t", "a", twice(), c.output());
        Graph.Node sum = graph.add("sum", "a", add("Add"), c.output(), t.output());
        assertArrayEquals(new int[]{3, 6, 9, 12}, fetch(sum));
    }

    @Test
    void inPlaceSeesReadersOfAliases() {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1, 2, 3, 4));
        Graph.Node alias = graph.add("alias", "a", new Identity(), c.output());
        Graph.Node t = graph.add("t", "a", twice(), alias.output());
        Graph.Node sum = graph.add("sum", "a", add("Add"), c.output(), t.output());
        assertArrayEquals(new int[]{3, 6, 9, 12}, fetch(sum));
    }

    @Test
    void inPlaceNeverOverwritesVariablesFeedsOrFetches() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node x = graph.add("x", "a", new Feed(TensorType.of(ElementType.INT32, SHAPE)));
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 5));
        Graph.Node tv = graph.add("tv", "a", twice(), v.output());
        Graph.Node tx = graph.add("tx", "a", twice(), x.output());
        Graph.Node tc = graph.add("tc", "a", twice(), c.output());
        Tensor feed = tensor(3, 3, 3, 3);
        for (int i = 0; i < 2; i++) {
            List<Tensor> fetched = session().run(Map.of("x", feed),
                    List.of(tv.output(), tx.output(), tc.output(), c.output(), v.output()), List.of());
            assertEquals(List.of(2, 6, 10, 5, 1), fetched.stream().map(tensor -> ints(tensor)[0]).toList());
            fetched.forEach(Tensor::close);
        }
        assertArrayEquals(new int[]{3, 3, 3, 3}, ints(feed));
    }

    @Test
    void storageIsOverwrittenByOneOutputOnly() {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1));
        Operation split = new TestOperations.Synchronous() {
            @Override
            public String name() {
                return "Split";
            }

            @Override
            public int inPlaceInput(int output) {
                return 0;
            }

            @Override
            public List<TensorType> infer(List<TensorType> inputs) {
                return List.of(inputs.getFirst(), inputs.getFirst());
            }

            @Override
            public void compute(KernelContext context) {
                Tensor one = context.outputInPlace(0, 0, context.input(0).shape());
                Tensor other = context.outputInPlace(1, 0, context.input(0).shape());
                assertFalse(one.sharesStorageWith(other));
                TestOperations.fill(one, 7);
                TestOperations.fill(other, 8);
            }
        };
        Graph.Node s = graph.add("s", "a", split, c.output());
        List<Tensor> fetched = session().run(Map.of(), List.of(s.output(0), s.output(1)), List.of());
        assertEquals(List.of(7, 8), fetched.stream().map(tensor -> ints(tensor)[0]).toList());
        fetched.forEach(Tensor::close);
    }

    @Test
    void reshapeOfAnUnknownDimensionIsResolvedAtRunTime() {
        Graph.Node x = graph.add("x", "a",
                new Feed(new TensorType(ElementType.INT32, SymbolicShape.of(Dimension.symbol("N")))));
        Graph.Node grid = graph.add("grid", "a",
                new Reshape(SymbolicShape.of(Dimension.symbol("rows"), Dimension.of(2))), x.output());
        try (Tensor tensor = session().run(Map.of("x", tensor(1, 2, 3, 4, 5, 6)), List.of(grid.output()), List.of())
                .getFirst()) {
            assertEquals(Shape.of(3, 2), tensor.shape());
            assertArrayEquals(new int[]{1, 2, 3, 4, 5, 6}, ints(tensor));
        }
    }

    @Test
    void variablesAreInitialisedOnceAndChangedInPlaceAfterTheirReaders() {
        // Added first, and so ready first: only the control edge keeps it behind the readers.
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 10));
        Graph.Node apply = graph.add("apply", "a", new AddTo(), v.output(), c.output());
        Graph.Node alias = graph.add("alias", "a", new Identity(), v.output());
        Graph.Node one = graph.add("one", "a", add("Add"), v.output());
        Graph.Node other = graph.add("other", "a", add("Add"), alias.output(), one.output());
        for (int i = 0; i < 3; i++) {
            List<Tensor> fetched = session().run(Map.of(),
                    List.of(one.output(), other.output(), apply.output()), List.of());
            assertEquals(List.of(1 + 10 * i, 2 * (1 + 10 * i), 11 + 10 * i),
                    fetched.stream().map(tensor -> ints(tensor)[0]).toList());
            fetched.forEach(Tensor::close);
        }
    }

    @Test
    void aNodeMayChangeSeveralVariablesEachAfterItsReaders() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 2));
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 10));
        Graph.Node apply = graph.add("apply", "a", new AddToAll(), v.output(), w.output(), c.output());
        Graph.Node ofV = graph.add("ofV", "a", add("Add"), v.output());
        Graph.Node ofW = graph.add("ofW", "a", add("Add"), w.output(), ofV.output());
        for (int i = 0; i < 3; i++) {
            List<Tensor> fetched = session().run(Map.of(), List.of(ofV.output(), ofW.output()), List.of(apply));
            assertEquals(List.of(1 + 10 * i, 3 + 20 * i), fetched.stream().map(tensor -> ints(tensor)[0]).toList());
            fetched.forEach(Tensor::close);
        }
    }

    @Test
    void orderedChangesOfOneVariableMayBothNameIt() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 10));
        Graph.Node first = graph.add("first", "a", new AddTo(), v.output(), c.output());
        Graph.Node between = graph.add("between", "a", add("Add"), first.output());
        Graph.Node second = graph.add("second", "a", new AddTo(), v.output(), between.output());
        assertEquals(22, fetch(second)[0]);
        assertEquals(2 * (22 + 10), fetch(second)[0]);
    }

    @Test
    void aVariableMayBeAddedToItself() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node twice = graph.add("twice", "a", new AddTo(), v.output(), v.output());
        assertEquals(2, fetch(twice)[0]);
        assertEquals(4, fetch(twice)[0]);
    }

    @Test
    void aChangeWaitsForReadersOfAnAliasThatNobodyAnnounced() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 10));
        Graph.Node secret = graph.add("secret", "a",
                new Function("Secret", null, context -> context.forward(0, 0, Shape.of(SHAPE))), v.output());
        Graph.Node apply = graph.add("apply", "a", new AddTo(), v.output(), c.output());
        Graph.Node late = graph.add("late", "a", add("Add"), c.output());
        Graph.Node later = graph.add("later", "a", add("Add"), late.output());
        Graph.Node reader = graph.add("reader", "a", add("Add"), secret.output(), later.output());
        List<Tensor> fetched = session().run(Map.of(), List.of(reader.output()), List.of(apply));
        assertEquals(11, ints(fetched.getFirst())[0]);
        fetched.forEach(Tensor::close);
    }

    @Test
    void aChangeThatAnUnannouncedAliasMakesImpossibleIsAnErrorNotAHang() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 10));
        Graph.Node secret = graph.add("secret", "a",
                new Function("Secret", null, context -> context.forward(0, 0, Shape.of(SHAPE))), v.output());
        Graph.Node apply = graph.add("apply", "a", new AddTo(), v.output(), c.output());
        Graph.Node torn = graph.add("torn", "a", add("Add"), secret.output(), apply.output());
        String message = assertThrows(IllegalStateException.class, () -> fetch(torn)).getMessage();
        assertTrue(message.contains("node 'apply' changes a variable"), message);
    }

    @Test
    void aFetchedVariableIsACopy() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node alias = graph.add("alias", "a", new Identity(), v.output());
        for (int i = 0; i < 2; i++) {
            List<Tensor> fetched = session().run(Map.of(), List.of(v.output(), alias.output(), v.output()), List.of());
            fetched.forEach(tensor -> TestOperations.fill(tensor, 99));
            fetched.forEach(Tensor::close);
        }
        assertEquals(1, fetch(v)[0]);
    }

    @Test
    void aFetchedVariableShowsTheChangeOfTheRun() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 10));
        Graph.Node apply = graph.add("apply", "a", new AddTo(), v.output(), c.output());
        Tensor fetched = session().run(Map.of(), List.of(v.output()), List.of(apply)).getFirst();
        assertEquals(11, ints(fetched)[0]);
        fetched.close();
    }

    /** As on another task, where it is sent before the change. */
    @Test
    void aVariableUnderAnotherNameIsFetchedAsItWasBeforeTheChange() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node alias = graph.add("alias", "a", new Identity(), v.output());
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 10));
        Graph.Node apply = graph.add("apply", "a", new AddTo(), v.output(), c.output());
        for (int i = 0; i < 2; i++) {
            List<Tensor> fetched = session().run(Map.of(),
                    List.of(alias.output(), v.output(), alias.output(), apply.output()), List.of());
            assertEquals(List.of(1 + 10 * i, 11 + 10 * i, 1 + 10 * i, 11 + 10 * i),
                    fetched.stream().map(tensor -> ints(tensor)[0]).toList());
            fetched.forEach(Tensor::close);
        }
    }

    @Test
    void plansThatAreNotUsedAreForgotten() {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 5));
        List<Graph.Node> nodes = new ArrayList<>();
        for (int i = 0; i < 3 * GraphSession.FRAMES_MAX; i++) {
            nodes.add(graph.add("n" + i, "a", add("Add"), c.output()));
        }
        for (int round = 0; round < 2; round++) {
            nodes.forEach(node -> assertArrayEquals(new int[]{5, 5, 5, 5}, fetch(node)));
        }
        assertEquals(GraphSession.FRAMES_MAX, ((GraphSession) session()).frameCount());
    }

    @Test
    void theSameOutputCanBeFetchedTwice() {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 5));
        List<Tensor> fetched = session().run(Map.of(), List.of(c.output(), c.output()), List.of());
        assertFalse(fetched.get(0).sharesStorageWith(fetched.get(1)));
        assertArrayEquals(ints(fetched.get(0)), ints(fetched.get(1)));
        fetched.forEach(Tensor::close);
    }

    @Test
    void temporariesEndWithTheirNode() {
        List<Tensor> temporaries = new ArrayList<>();
        Graph.Node c = graph.add("c", "a", new Function("Scratch", TensorType.of(ElementType.INT32, SHAPE), context -> {
            temporaries.add(context.allocateTemporary(ElementType.UINT8, Shape.of(100)));
            TestOperations.fill(context.allocateOutput(0, ElementType.INT32, Shape.of(SHAPE)), 1);
            assertTrue(temporaries.getFirst().isOpen());
        }));
        fetch(c);
        assertFalse(temporaries.getFirst().isOpen());
    }

    @Test
    void aTensorMadeElsewhereIsClosedAfterItsLastUse() {
        Tensor made = tensor(1, 2, 3, 4);
        Graph.Node c = graph.add("c", "a",
                new Function("Made", TensorType.of(ElementType.INT32, SHAPE), context -> context.setOutput(0, made)));
        Graph.Node sum = graph.add("sum", "a", add("Add"), c.output());
        assertArrayEquals(new int[]{1, 2, 3, 4}, fetch(sum));
        assertFalse(made.isOpen());
    }

    @Test
    void aFailingKernelEndsTheRunWithItsNameAndLeavesNothing() {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 5));
        IllegalStateException cause = new IllegalStateException("boom");
        Graph.Node bad = graph.add("bad", "a", new Function("Bad", TensorType.of(ElementType.INT32, SHAPE), context -> {
            context.allocateTemporary(ElementType.INT32, Shape.of(5));
            context.allocateOutput(0, ElementType.INT32, Shape.of(SHAPE));
            throw cause;
        }), c.output());
        KernelException e = assertThrows(KernelException.class, () -> fetch(bad));
        assertEquals("test: node 'bad' (Bad) failed: boom", e.getMessage());
        assertSame(cause, e.getCause());
        assertEquals(0, allocator.live());
        String again = assertThrows(IllegalStateException.class, () -> fetch(c)).getMessage();
        assertTrue(again.contains("boom"), again);
    }

    @Test
    void kernelsThatBreakTheirPromisesAreNamed() {
        assertKernelFails("output 0 was not set", context -> {});
        assertKernelFails("set twice", context -> {
            context.allocateOutput(0, ElementType.INT32, Shape.of(SHAPE));
            context.allocateOutput(0, ElementType.INT32, Shape.of(SHAPE));
        });
        assertKernelFails("was announced as INT32[4]",
                context -> context.allocateOutput(0, ElementType.INT32, Shape.of(5)));
        assertKernelFails("was announced as INT32[4]",
                context -> context.allocateOutput(0, ElementType.FLOAT32, Shape.of(SHAPE)));
        assertKernelFails("forward it instead", context -> context.setOutput(0, context.input(0)));
        assertKernelFails("in place of input 1, which operation N does not say",
                context -> context.outputInPlace(0, 1, Shape.of(SHAPE)));
        assertKernelFails("cannot be in place", context -> context.outputInPlace(0, 0, Shape.of(3)));
    }

    private void assertKernelFails(String expected, java.util.function.Consumer<KernelContext> kernel) {
        Graph bad = new Graph();
        Graph.Node c = bad.add("c", "a", TestOperations.constant(SHAPE, 5));
        Graph.Node node = bad.add("n", "a", new Function("N", null, kernel), c.output());
        try (Session one = Sessions.local(bad, SessionOptions.defaults())) {
            String message = assertThrows(KernelException.class,
                    () -> one.run(Map.of(), List.of(), List.of(node))).getMessage();
            assertTrue(message.contains("'n' (N)") && message.contains(expected), message);
        }
    }

    @Test
    void feedsAreCheckedBeforeAnythingRuns() {
        Graph.Node x = graph.add("x", "a",
                new Feed(new TensorType(ElementType.INT32, SymbolicShape.of(Dimension.symbol("N"), Dimension.of(2)))));
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 5));
        assertFeedFails("feed 'x' is missing; give it a tensor of type=INT32[N, 2]", Map.of(), x);
        assertFeedFails("feed 'x' takes type=INT32[N, 2] but was given INT32[4]", Map.of("x", tensor(1, 2, 3, 4)), x);
        assertFeedFails("unknown feed 'y'", Map.of("y", tensor(1)), x);
        assertFeedFails("unknown feed 'c'", Map.of("c", tensor(1)), x);
        Tensor freed = tensor(1, 2);
        freed.close();
        assertFeedFails("feed 'x' is a freed tensor", Map.of("x", freed), x);
        assertEquals(0, session().statistics().iterations());
        assertEquals(5, fetch(c)[0], "a refused feed does not break the session");
    }

    @Test
    void oneSymbolIsOneNumberInAllFeeds() {
        TensorType rows = new TensorType(ElementType.INT32, SymbolicShape.of(Dimension.symbol("N")));
        Graph.Node x = graph.add("x", "a", new Feed(rows));
        Graph.Node y = graph.add("y", "a", new Feed(rows));
        Graph.Node both = graph.add("both", "a", new Effect("Effect", context -> {}), x.output(), y.output());
        assertFeedFails("feed 'y' takes type=INT32[N] but was given INT32[3], where {N=2}",
                Map.of("x", tensor(1, 2), "y", tensor(1, 2, 3)), both);
        session().run(Map.of("x", tensor(1, 2), "y", tensor(3, 4)), List.of(), List.of(both));
        session().run(Map.of("x", tensor(1), "y", tensor(3)), List.of(), List.of(both));
        assertEquals(2, session().statistics().iterations());
    }

    private void assertFeedFails(String expected, Map<String, Tensor> feeds, Graph.Node target) {
        String message = assertThrows(IllegalArgumentException.class,
                () -> session().run(feeds, List.of(), List.of(target))).getMessage();
        assertTrue(message.startsWith(expected), message);
    }

    @Test
    void fetchesAndTargetsMustBeOfTheGraphAsItWas() {
        graph.add("c", "a", TestOperations.constant(SHAPE, 5));
        session();
        Graph.Node late = graph.add("late", "a", TestOperations.constant(SHAPE, 5));
        Graph.Node foreign = new Graph().add("c", "a", TestOperations.constant(SHAPE, 5));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> fetch(late)).getMessage().contains("after"));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> fetch(foreign)).getMessage()
                .contains("fetch 'c' is not of the session's graph"));
        assertThrows(IllegalArgumentException.class, () -> session().run(Map.of(), List.of(), List.of(foreign)));
    }

    @Test
    void onlyWhatIsNeededRuns() {
        List<String> ran = new ArrayList<>();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 5));
        Graph.Node wanted = graph.add("wanted", "a", new Effect("Effect", context -> ran.add("wanted")), c.output());
        graph.add("unwanted", "a", new Effect("Effect", context -> ran.add("unwanted")), c.output());
        session().run(Map.of(), List.of(), List.of(wanted));
        assertEquals(List.of("wanted"), ran);
    }

    @Test
    void aSessionIsOneRunAtATimeAndNoneAfterClose() {
        Graph.Node nested = graph.add("n", "a", new Effect("Nested",
                context -> session().run(Map.of(), List.of(), List.of())));
        String message = assertThrows(KernelException.class,
                () -> session().run(Map.of(), List.of(), List.of(nested))).getMessage();
        assertTrue(message.contains("the session is running"), message);
        session().close();
        session().close();
        assertThrows(IllegalStateException.class, () -> session().run(Map.of(), List.of(), List.of()));
    }

    @Test
    void anOpenFetchedTensorKeepsTheSessionsMemory() {
        Graph real = new Graph();
        Graph.Node c = real.add("c", "a", TestOperations.constant(SHAPE, 5));
        Session one = Sessions.local(real, SessionOptions.defaults());
        Tensor fetched = one.run(Map.of(), List.of(c.output()), List.of()).getFirst();
        String message = assertThrows(IllegalStateException.class, one::close).getMessage();
        assertTrue(message.contains("openCount=1") && message.contains("INT32[4]"), message);
        one.run(Map.of(), List.of(c.output()), List.of()).getFirst().close();
        fetched.close();
        one.close();
        assertThrows(IllegalStateException.class, () -> one.run(Map.of(), List.of(c.output()), List.of()));
    }
}
