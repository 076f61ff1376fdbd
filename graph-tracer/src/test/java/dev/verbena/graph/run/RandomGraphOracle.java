package dev.verbena.graph.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

import dev.verbena.graph.run.RandomGraph.Kind;
import dev.verbena.graph.run.RandomGraph.Phase;
import dev.verbena.graph.run.RandomGraph.Ref;
import dev.verbena.graph.run.RandomGraph.Scratch;
import dev.verbena.graph.run.RandomGraph.Spec;

/**
 * Interprets a random graph, run by run, one node after the other, and says what each run must give: values, shapes, the sites whose storage has
 * been sent, and how many tensors had to be copied. It knows nothing of plans, executors, addresses or reference counts: each output is an
 * array, and the sites that it went through are a set of names beside it. What only timing decides, whether a node worked in place, it is told.
 */
final class RandomGraphOracle {
    /** The outcome of one run. */
    static final class Run {
        final Map<Ref, int[]> values = new HashMap<>();
        final Map<Ref, long[]> shapes = new HashMap<>();
        /** By task; those that are registered after the run. */
        final Map<String, Set<String>> registered = new TreeMap<>();
        /** By task; those of them at which storage was ever allocated. */
        final Map<String, Integer> registeredAllocating = new TreeMap<>();
        final Map<String, Integer> allocating = new TreeMap<>();
        final Map<String, Integer> copies = new TreeMap<>();
        final Map<String, Integer> sends = new TreeMap<>();

        private static Integer of(Map<String, Integer> counts, String task) {
            return counts.getOrDefault(task, 0);
        }

        int copies(String task) {
            return of(copies, task);
        }

        int sends(String task) {
            return of(sends, task);
        }
    }

    /** What an output is; lent if it is another task's. */
    private record Held(long[] shape, int[] data, Set<String> sites, boolean isRegistered, boolean isLent) {
        static Held ours(long[] shape, int[] data, Set<String> sites, boolean isRegistered) {
            return new Held(shape, data, sites, isRegistered, false);
        }

        Held as(long... other) {
            return new Held(other, data, sites, isRegistered, isLent);
        }
    }

    private final RandomGraph random;
    private final Predicate<Spec> wasInPlace;
    private final BiPredicate<Ref, String> isLent;
    private final Map<Integer, int[]> variables = new HashMap<>();
    private final Set<String> registered = new HashSet<>();
    private final Set<String> allocating = new HashSet<>();
    private final Set<String> sent = new HashSet<>();
    private Map<Ref, Held> outputs = Map.of();
    private Run run;

    /**
     * An oracle.
     *
     * @param wasInPlace asked once for each node that runs, in the order of its runs
     * @param isLent whether an output is lent to a task
     */
    RandomGraphOracle(RandomGraph random, Predicate<Spec> wasInPlace,
            BiPredicate<Ref, String> isLent) {
        this.random = random;
        this.wasInPlace = wasInPlace;
        this.isLent = isLent;
    }

    static int[] initial(int seed, int size) {
        return new Random(seed).ints(size).toArray();
    }

    Run run(int phaseIndex) {
        Phase phase = random.phases().get(phaseIndex);
        run = new Run();
        outputs = new HashMap<>();
        Map<Integer, int[]> changed = new HashMap<>();
        List<Spec> needed = random.needed(phase);
        for (Spec spec : needed) {
            evaluate(spec, phaseIndex, changed);
        }
        needed.forEach(spec -> send(spec, needed));
        variables.putAll(changed);
        outputs.forEach((output, held) -> {
            run.values.put(output, held.data);
            run.shapes.put(output, held.shape);
        });
        // A variable itself is fetched at the end, and then shows the change; under another name it does not, wherever that is.
        needed.stream().filter(spec -> spec.kind() == Kind.VARIABLE)
                .forEach(spec -> run.values.put(new Ref(spec.index(), 0), variables.get(spec.index())));
        registered.addAll(sent);
        tell();
        return run;
    }

    private void tell() {
        for (Spec spec : random.nodes()) {
            run.registered.computeIfAbsent(spec.task(), key -> new TreeSet<>());
            for (int ordinal = 0; ordinal < 4; ordinal++) {
                String site = spec.site(ordinal);
                if (registered.contains(site)) {
                    run.registered.get(spec.task()).add(site);
                }
                int allocates = allocating.contains(site) ? 1 : 0;
                run.allocating.merge(spec.task(), allocates, Integer::sum);
                run.registeredAllocating.merge(spec.task(), registered.contains(site) ? allocates : 0, Integer::sum);
            }
        }
    }

    /** Whoever reads it on another task reads what was received: nobody's allocation, in registered memory. */
    private Held input(Spec reader, int index) {
        Ref ref = reader.inputs().get(index);
        Held held = outputs.get(random.changeBefore(reader, ref).map(change -> new Ref(change, 0)).orElse(ref));
        return random.nodes().get(ref.node()).task().equals(reader.task())
                ? held
                : new Held(held.shape, held.data, Set.of(), true, isLent.test(ref, reader.task()));
    }

    private void evaluate(Spec spec, int phaseIndex, Map<Integer, int[]> changed) {
        List<Held> inputs = new ArrayList<>();
        for (int i = 0; i < spec.inputs().size(); i++) {
            inputs.add(input(spec, i));
        }
        switch (spec.kind()) {
            case VARIABLE -> {
                variables.computeIfAbsent(spec.index(), key -> initial(spec.seed(), spec.size()));
                allocating.add(spec.site(0));
                set(spec, 0, fresh(spec, 0, variables.get(spec.index()).clone()));
            }
            case FEED -> {
                int size = random.phases().get(phaseIndex).feeds().get(spec.index());
                set(spec, 0, Held.ours(new long[]{size}, initial(spec.seed(), size), Set.of(), false));
            }
            case VIEW -> set(spec, 0, view(spec, inputs.getFirst()));
            default -> compute(spec, inputs, spec.scratch().get(phaseIndex), changed);
        }
    }

    private static Held view(Spec spec, Held input) {
        int count = input.data.length;
        return switch (Math.floorMod(spec.seed(), 4)) {
            case 0 -> input;
            case 1 -> input.as(count);
            case 2 -> input.as(1, count);
            default -> input.as(count, 1);
        };
    }

    private void compute(Spec spec, List<Held> inputs, Scratch scratch, Map<Integer, int[]> changed) {
        boolean isInPlace = wasInPlace.test(spec);
        int first = scratch.isBefore() ? 1 : 0;
        int allocations = first;
        switch (spec.kind()) {
            case CONSTANT -> set(spec, 0, allocate(spec, allocations++, initial(spec.seed(), spec.size())));
            case MIX -> set(spec, 0, shaped(inputs, allocate(spec, allocations++, mixed(spec.seed(), inputs))));
            case IN_PLACE -> set(spec, 0, inPlace(spec, allocations++, inputs, isInPlace));
            case PAIR -> {
                set(spec, 0, shaped(inputs, allocate(spec, allocations++, mixed(~spec.seed(), inputs))));
                set(spec, 1, inPlace(spec, allocations++, inputs, isInPlace));
            }
            case PASS -> {
                set(spec, 0, shaped(inputs, allocate(spec, allocations++, mixed(~spec.seed(), inputs))));
                Held passed = inputs.getFirst();
                set(spec, 1, passed.isLent ? shaped(inputs, allocate(spec, allocations++, passed.data)) : passed);
            }
            case CONCAT -> {
                int[] all = Arrays.copyOf(inputs.get(0).data, inputs.get(0).data.length + inputs.get(1).data.length);
                System.arraycopy(inputs.get(1).data, 0, all, inputs.get(0).data.length, inputs.get(1).data.length);
                set(spec, 0, allocate(spec, allocations++, all));
            }
            case KEEP -> set(spec, 0, allocate(spec, allocations++,
                    Arrays.stream(inputs.getFirst().data).filter(each -> each % 2 != 0).toArray()));
            case ADD_TO -> {
                Held variable = inputs.getFirst();
                int[] sum = variable.data.clone();
                Arrays.setAll(sum, i -> sum[i] + element(inputs.get(1), i));
                changed.put(spec.inputs().getFirst().node(), sum);
                set(spec, 0, Held.ours(variable.shape, sum, variable.sites, variable.isRegistered));
            }
            default -> throw new AssertionError(spec);
        }
        if (scratch.isBefore()) {
            allocating.add(spec.site(0));
        } else if (scratch == Scratch.AFTER) {
            allocating.add(spec.site(allocations));
        }
    }

    private static Held shaped(List<Held> inputs, Held held) {
        return held.as(inputs.getFirst().shape);
    }

    private Held inPlace(Spec spec, int ordinal, List<Held> inputs, boolean isInPlace) {
        int[] data = mixed(spec.seed(), inputs);
        if (!isInPlace) {
            return shaped(inputs, allocate(spec, ordinal, data));
        }
        Held over = inputs.getFirst();
        Set<String> sites = new LinkedHashSet<>(over.sites);
        sites.add(spec.site(ordinal));
        return Held.ours(over.shape, data, sites, over.isRegistered);
    }

    private Held allocate(Spec spec, int ordinal, int[] data) {
        allocating.add(spec.site(ordinal));
        return fresh(spec, ordinal, data);
    }

    private Held fresh(Spec spec, int ordinal, int[] data) {
        String site = spec.site(ordinal);
        return Held.ours(new long[]{data.length}, data, Set.of(site), registered.contains(site));
    }

    private void set(Spec spec, int output, Held held) {
        outputs.put(new Ref(spec.index(), output), held);
    }

    /** Once to each task on which one that runs reads it; and a word to each on which one waits, if nothing else goes there. */
    private void send(Spec spec, List<Spec> needed) {
        Set<String> hearing = new TreeSet<>();
        needed.stream().filter(each -> each.controls().contains(spec.index())).map(Spec::task).forEach(hearing::add);
        hearing.remove(spec.task());
        for (int i = 0; i < spec.kind().outputCount(); i++) {
            Ref output = new Ref(spec.index(), i);
            Set<String> tasks = new TreeSet<>();
            needed.stream().filter(reader -> reader.inputs().contains(output)).map(Spec::task).forEach(tasks::add);
            tasks.remove(spec.task());
            hearing.removeAll(tasks);
            Held held = outputs.get(output);
            if (!tasks.isEmpty()) {
                sent.addAll(held.sites);
                run.sends.merge(spec.task(), tasks.size(), Integer::sum);
                run.copies.merge(spec.task(), held.isRegistered ? 0 : 1, Integer::sum);
            }
        }
        run.sends.merge(spec.task(), hearing.size(), Integer::sum);
    }

    private static int element(Held held, int i) {
        return held.data.length == 0 ? 0 : held.data[i % held.data.length];
    }

    private static int[] mixed(int seed, List<Held> inputs) {
        int[] result = new int[inputs.getFirst().data.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = seed;
            for (Held input : inputs) {
                result[i] = result[i] * 31 + (element(input, i) ^ seed);
            }
        }
        return result;
    }
}
