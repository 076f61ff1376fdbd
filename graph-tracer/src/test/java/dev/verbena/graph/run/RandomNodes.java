package dev.verbena.graph.run;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Identity;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Reshape;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.Variable;
import dev.verbena.graph.run.RandomGraph.Kind;
import dev.verbena.graph.run.RandomGraph.Ref;
import dev.verbena.graph.run.RandomGraph.Scratch;
import dev.verbena.graph.run.RandomGraph.Spec;
import dev.verbena.graph.run.memory.TestAllocator;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/** Builds a random graph and runs its nodes. What timing decides, whether a node worked in place, it writes down for the oracle. */
final class RandomNodes implements AutoCloseable {
    private static final int STEPS_ASIDE_NS = 20_000;
    private static final int POLLS_MAX = 3;

    /** An operation of a node of the graph; its kernel is found by name. */
    private record Work(Spec spec) implements Operation {
        @Override
        public String name() {
            return spec.mode() + "-" + spec.kind();
        }

        @Override
        public List<TensorType> infer(List<TensorType> inputs) {
            TensorType first = inputs.isEmpty() ? null : inputs.getFirst();
            return switch (spec.kind()) {
                case CONSTANT -> List.of(TensorType.of(ElementType.INT32, spec.size()));
                case PAIR, PASS -> List.of(first, first);
                case CONCAT -> List.of(vector(first.shape().elementCount().plus(inputs.get(1).shape().elementCount())));
                case KEEP -> List.of(vector(Dimension.unknown(spec.name(), "how many are odd")));
                default -> List.of(first);
            };
        }

        @Override
        public int inPlaceInput(int output) {
            return spec.kind() == Kind.IN_PLACE || spec.kind() == Kind.PAIR && output == 1 ? 0 : -1;
        }

        @Override
        public Set<Integer> mutatedInputs() {
            return spec.kind() == Kind.ADD_TO ? Set.of(0) : Set.of();
        }
    }

    private final RandomGraph random;
    private final Map<String, Integer> phaseByTask = new ConcurrentHashMap<>();
    private final Map<String, Integer> runByTask = new ConcurrentHashMap<>();
    /** By node: of which run of its task it is done. */
    private final Map<Integer, Integer> doneIn = new ConcurrentHashMap<>();
    private final Map<Integer, Deque<Boolean>> inPlace = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    RandomNodes(RandomGraph random) {
        this.random = random;
        random.nodes().forEach(spec -> inPlace.put(spec.index(), new ArrayDeque<>()));
    }

    /** With what is known of feeds' dimensions before the run. */
    Graph graph(Function<Spec, Dimension> open) {
        Graph graph = new Graph();
        for (Spec spec : random.nodes()) {
            graph.add(spec.name(), spec.task(), operation(spec, open),
                    spec.inputs().stream().map(input -> output(graph, input)).toList(),
                    spec.controls().stream().map(control -> graph.node("n" + control)).toList());
        }
        return graph;
    }

    static Graph.Output output(Graph graph, Ref ref) {
        return graph.node("n" + ref.node()).output(ref.output());
    }

    private static Operation operation(Spec spec, Function<Spec, Dimension> open) {
        return switch (spec.kind()) {
            case VARIABLE -> new Variable(TensorType.of(ElementType.INT32, spec.size()),
                    tensor -> TestOperations.fill(tensor, RandomGraphOracle.initial(spec.seed(), spec.size())));
            case FEED -> new Feed(vector(spec.isDynamicFeed() ? open.apply(spec) : Dimension.of(spec.size())));
            case VIEW -> view(spec);
            default -> new Work(spec);
        };
    }

    private static Operation view(Spec spec) {
        Dimension rest = Dimension.unknown("rest", "what the others leave");
        return switch (Math.floorMod(spec.seed(), 4)) {
            case 0 -> new Identity();
            case 1 -> new Reshape(SymbolicShape.of(rest));
            case 2 -> new Reshape(SymbolicShape.of(Dimension.of(1), rest));
            default -> new Reshape(SymbolicShape.of(rest, Dimension.of(1)));
        };
    }

    private static TensorType vector(Dimension dimension) {
        return new TensorType(ElementType.INT32, SymbolicShape.of(dimension));
    }

    /** A run of the task begins, in that phase. */
    void enter(String task, int phase) {
        runByTask.merge(task, 1, Integer::sum);
        phaseByTask.put(task, phase);
    }

    /** Whether the node worked in place when it ran next, and after that, each time it is asked. */
    boolean takeInPlace(Spec spec) {
        Deque<Boolean> seen = inPlace.get(spec.index());
        synchronized (seen) {
            return seen.remove();
        }
    }

    Kernels kernels() {
        Kernels kernels = Kernels.standard();
        for (Kind kind : Kind.values()) {
            kernels = kernels.with("SYNCHRONOUS-" + kind, this::synchronous)
                    .with("ASYNCHRONOUS-" + kind, this::asynchronous).with("POLLING-" + kind, this::polling);
        }
        return kernels;
    }

    private Kernel synchronous(Operation operation) {
        return (Kernel.Synchronous) context -> compute(((Work) operation).spec, context);
    }

    private Kernel asynchronous(Operation operation) {
        return (Kernel.Asynchronous) (context, done) -> start(((Work) operation).spec, context, done);
    }

    private Kernel polling(Operation operation) {
        return new Kernel.PollingAsynchronous() {
            private int polls;

            @Override
            public boolean poll(KernelContext context) {
                boolean isReady = polls++ == Math.floorMod(((Work) operation).spec.seed(), POLLS_MAX);
                polls = isReady ? 0 : polls;
                return isReady;
            }

            @Override
            public void start(KernelContext context, Consumer<Throwable> done) {
                RandomNodes.this.start(((Work) operation).spec, context, done);
            }
        };
    }

    private void start(Spec spec, KernelContext context, Consumer<Throwable> done) {
        threads.execute(() -> {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(STEPS_ASIDE_NS));
            Throwable failure = null;
            try {
                compute(spec, context);
            } catch (Throwable e) {
                failure = e;
            }
            done.accept(failure);
        });
    }

    private void compute(Spec spec, KernelContext context) {
        checkControls(spec);
        Shape shape = context.inputCount() == 0 ? Shape.of(spec.size()) : context.input(0).shape();
        Scratch scratch = spec.scratch().get(phaseByTask.get(spec.task()));
        Tensor temporary = scratch.isBefore() ? scratch(context, shape) : null;
        computeOutputs(spec, context, shape);
        temporary = scratch == Scratch.AFTER ? scratch(context, shape) : temporary;
        if (temporary != null) {
            temporary.memory().fill((byte) 0x33);
        }
        doneIn.put(spec.index(), runByTask.get(spec.task()));
    }

    /** All tasks run the same runs, one after the other. */
    private void checkControls(Spec spec) {
        int run = runByTask.get(spec.task());
        for (int control : spec.controls()) {
            if (random.nodes().get(control).isComputed() && doneIn.getOrDefault(control, 0) < run) {
                throw new AssertionError(spec.name() + " runs before n" + control + " in run " + run);
            }
        }
    }

    private static Tensor scratch(KernelContext context, Shape shape) {
        return context.allocateTemporary(ElementType.INT32, shape);
    }

    private void computeOutputs(Spec spec, KernelContext context, Shape shape) {
        List<int[]> inputs = Stream.iterate(0, i -> i < context.inputCount(), i -> i + 1)
                .map(i -> TestOperations.ints(context.input(i))).toList();
        boolean wasInPlace = false;
        switch (spec.kind()) {
            case CONSTANT -> fill(fresh(context, 0, shape), RandomGraphOracle.initial(spec.seed(), spec.size()));
            case MIX -> fill(fresh(context, 0, shape), mixed(spec.seed(), inputs));
            case IN_PLACE -> wasInPlace = inPlace(context, 0, shape, mixed(spec.seed(), inputs));
            case PAIR -> {
                fill(fresh(context, 0, shape), mixed(~spec.seed(), inputs));
                wasInPlace = inPlace(context, 1, shape, mixed(spec.seed(), inputs));
            }
            case PASS -> {
                fill(fresh(context, 0, shape), mixed(~spec.seed(), inputs));
                context.forward(1, 0, shape);
            }
            case CONCAT -> {
                int[] all = Stream.of(inputs.get(0), inputs.get(1)).flatMapToInt(Arrays::stream).toArray();
                fill(fresh(context, 0, Shape.of(all.length)), all);
            }
            case KEEP -> {
                int[] odd = Arrays.stream(inputs.getFirst()).filter(each -> (each & 1) == 1).toArray();
                fill(fresh(context, 0, Shape.of(odd.length)), odd);
            }
            case ADD_TO -> {
                for (int i = 0; i < inputs.get(0).length; i++) {
                    inputs.get(0)[i] += at(inputs.get(1), i);
                }
                fill(context.input(0), inputs.get(0));
                context.forward(0, 0, shape);
            }
            default -> throw new AssertionError(spec);
        }
        Deque<Boolean> seen = inPlace.get(spec.index());
        synchronized (seen) {
            seen.add(wasInPlace);
        }
    }

    private static Tensor fresh(KernelContext context, int index, Shape shape) {
        return context.allocateOutput(index, ElementType.INT32, shape);
    }

    private static boolean inPlace(KernelContext context, int index, Shape shape, int[] values) {
        Tensor output = context.outputInPlace(index, 0, shape);
        fill(output, values);
        return output.sharesStorageWith(context.input(0));
    }

    private static void fill(Tensor tensor, int[] values) {
        tensor.memory().copyFrom(MemorySegment.ofArray(values));
    }

    private static int at(int[] values, int i) {
        return values.length == 0 ? 0 : values[i % values.length];
    }

    private static int[] mixed(int seed, List<int[]> inputs) {
        int[] result = new int[inputs.getFirst().length];
        for (int i = 0; i < result.length; i++) {
            int element = seed;
            for (int[] input : inputs) {
                element = TestOperations.mix(seed, element, at(input, i));
            }
            result[i] = element;
        }
        return result;
    }

    /** The feeds of a task in a phase. */
    Map<String, Tensor> feeds(String task, RandomGraph.Phase phase, TestAllocator memory) {
        Map<String, Tensor> feeds = new HashMap<>();
        List<Spec> fed = new ArrayList<>(random.needed(phase));
        fed.removeIf(spec -> spec.kind() != Kind.FEED || !spec.task().equals(task));
        for (Spec spec : fed) {
            int size = phase.feeds().get(spec.index());
            Tensor tensor = memory.allocate(ElementType.INT32, Shape.of(size));
            fill(tensor, RandomGraphOracle.initial(spec.seed(), size));
            feeds.put(spec.name(), tensor);
        }
        return feeds;
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
