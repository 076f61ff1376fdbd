package dev.verbena.graph.run;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A graph as data, and what is run of it: made from a seed, built by {@link RandomNodes}, interpreted by {@link RandomGraphOracle}, and printed
 * when something fails.
 *
 * @param nodes inputs before users
 * @param phases each is run several times, then the next: behaviour changes between them
 */
record RandomGraph(List<RandomGraph.Spec> nodes, List<RandomGraph.Phase> phases) {
    /** What a node does. */
    enum Kind {
        CONSTANT,
        VARIABLE,
        FEED,
        /** Its input's storage, under another shape. */
        VIEW,
        MIX,
        /** As MIX, over its first input if nobody else needs it. */
        IN_PLACE,
        /** Two outputs: a fresh one, and a MIX over the first input. */
        PAIR,
        /** Two outputs: a fresh one, and the storage of the first input, which nobody is told before the run. */
        PASS,
        /** All elements of two inputs, one after the other. */
        CONCAT,
        /** Those elements of its input that are odd: how many, only the run tells. */
        KEEP,
        /** Adds its second input to the variable that is its first, and passes the variable on. */
        ADD_TO;

        int outputCount() {
            return this == PAIR || this == PASS ? 2 : 1;
        }
    }

    enum Mode {
        SYNCHRONOUS,
        ASYNCHRONOUS,
        POLLING
    }

    /** Where a node takes memory that it needs only while it runs. */
    enum Scratch {
        NONE,
        BEFORE,
        AFTER;

        boolean isBefore() {
            return this == BEFORE;
        }
    }

    record Ref(int node, int output) {
        @Override
        public String toString() {
            return "n" + node + ":" + output;
        }
    }

    /**
     * @param controls nodes that run before
     * @param size of what begins here: elements; -1 of a feed of which only the run tells
     * @param scratch by phase
     */
    record Spec(int index, String task, Kind kind, List<Ref> inputs, List<Integer> controls, int seed, int size,
            Mode mode, List<Scratch> scratch) {
        /** Whether a kernel of {@link RandomNodes} runs it. */
        boolean isComputed() {
            return kind != Kind.VARIABLE && kind != Kind.FEED && kind != Kind.VIEW;
        }

        String name() {
            return "n" + index;
        }

        String site(int ordinal) {
            return name() + "#" + ordinal;
        }

        boolean isDynamicFeed() {
            return kind == Kind.FEED && size < 0;
        }

        @Override
        public String toString() {
            return "  " + name() + " on " + task + ": " + kind + inputs + " after=" + controls + " size=" + size
                    + " seed=" + seed + " " + mode
                    + " scratch=" + scratch;
        }
    }

    /**
     * @param targets on all tasks
     * @param fetches on their own
     * @param feeds by node: how many elements
     */
    record Phase(Set<Integer> targets, Set<Ref> fetches, Map<Integer, Integer> feeds) {
        @Override
        public String toString() {
            return "  targets=" + targets + " fetches=" + fetches + " feeds=" + feeds;
        }
    }

    /** What is to be found in a graph. */
    record Traits(int nodeCount, int taskCount, int[] sizes, boolean isDynamic, boolean isChanging, int phaseCount) {}

    static RandomGraph of(long seed, Traits traits) {
        return new Generator(seed, traits).generate();
    }

    /** Those that run for these targets, in order. */
    List<Spec> needed(Phase phase) {
        Set<Integer> needed = new TreeSet<>(phase.targets);
        for (int i = nodes.size() - 1; i >= 0; i--) {
            if (needed.contains(i)) {
                nodes.get(i).inputs.forEach(input -> needed.add(input.node));
                needed.addAll(nodes.get(i).controls);
            }
        }
        return needed.stream().map(nodes::get).toList();
    }

    /** Who changes a variable, by the control inputs of a node that reads the variable itself, before that reads it. */
    Optional<Integer> changeBefore(Spec reader, Ref variable) {
        Set<Integer> before = new TreeSet<>(nodes.get(variable.node).kind == Kind.VARIABLE
                ? reader.controls
                : List.of());
        for (int i = nodes.size() - 1; i >= 0; i--) {
            Spec spec = nodes.get(i);
            if (before.contains(i) && spec.kind == Kind.ADD_TO && spec.inputs.getFirst().equals(variable)) {
                return Optional.of(i);
            }
            if (before.contains(i)) {
                spec.inputs.forEach(input -> before.add(input.node));
                before.addAll(spec.controls);
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return nodes.stream().map(Spec::toString).collect(Collectors.joining("\n", "nodes\n", "\n"))
                + phases.stream().map(Phase::toString).collect(Collectors.joining("\n", "phases\n", ""));
    }

    private static final class Generator {
        private static final int ELEMENTS_MAX_OF_SMALL = 64;
        private static final Comparator<Ref> IN_ORDER = Comparator.comparing(Ref::node).thenComparing(Ref::output);

        private final Random random;
        private final Traits traits;
        private final int elementsMax;
        private final List<Spec> nodes = new ArrayList<>();
        /** The variable in whose storage an output is; -1 for none. */
        private final Map<Ref, Integer> variables = new HashMap<>();
        /** How large an output can be. */
        private final Map<Ref, Integer> bounds = new HashMap<>();
        private Set<Ref> fetches;

        Generator(long seed, Traits traits) {
            this.random = new Random(seed);
            this.traits = traits;
            this.elementsMax = Math.max(ELEMENTS_MAX_OF_SMALL, IntStream.of(traits.sizes).max().orElseThrow());
        }

        RandomGraph generate() {
            for (int i = 0; i < traits.nodeCount; i++) {
                add(kind(i));
            }
            changeVariables();
            List<Phase> phases = new ArrayList<>();
            for (int i = 0; i < traits.phaseCount; i++) {
                phases.add(phase(i));
            }
            return new RandomGraph(List.copyOf(nodes), List.copyOf(phases));
        }

        private Kind kind(int i) {
            if (i < 2) {
                return random.nextBoolean() ? Kind.CONSTANT : Kind.VARIABLE;
            }
            return switch (random.nextInt(16)) {
                case 0 -> Kind.CONSTANT;
                case 1 -> Kind.VARIABLE;
                case 2 -> Kind.FEED;
                case 3, 4, 5 -> Kind.VIEW;
                case 6, 7 -> Kind.MIX;
                case 8, 9, 10 -> Kind.IN_PLACE;
                case 11 -> Kind.PAIR;
                case 12 -> Kind.PASS;
                case 13 -> Kind.CONCAT;
                case 14 -> traits.isDynamic ? Kind.KEEP : Kind.MIX;
                default -> Kind.IN_PLACE;
            };
        }

        private void add(Kind kind) {
            List<Ref> inputs = new ArrayList<>();
            int count = switch (kind) {
                case CONSTANT, VARIABLE, FEED -> 0;
                case VIEW, KEEP -> 1;
                case CONCAT -> 2;
                default -> 1 + random.nextInt(3);
            };
            for (int i = 0; i < count; i++) {
                inputs.add(any());
            }
            if (kind == Kind.CONCAT && bounds.get(inputs.get(0)) + bounds.get(inputs.get(1)) > elementsMax) {
                add(Kind.MIX, inputs);
            } else {
                add(kind, inputs);
            }
        }

        private void add(Kind kind, List<Ref> inputs) {
            add(kind, inputs, controls());
        }

        private void add(Kind kind, List<Ref> inputs, List<Integer> controls) {
            add("task:" + random.nextInt(traits.taskCount), kind, inputs, controls);
        }

        private void add(String task, Kind kind, List<Ref> inputs, List<Integer> controls) {
            boolean isOpen = kind == Kind.FEED && traits.isDynamic && random.nextBoolean();
            int size = !inputs.isEmpty() ? 0 : isOpen ? -1 : traits.sizes[random.nextInt(traits.sizes.length)];
            List<Scratch> scratch = IntStream.range(0, traits.phaseCount).mapToObj(phase -> scratch()).toList();
            Spec spec = new Spec(nodes.size(), task, kind, List.copyOf(inputs), controls, random.nextInt(), size,
                    Mode.values()[random.nextInt(Mode.values().length)], scratch);
            addSpec(spec);
        }

        private void addSpec(Spec spec) {
            nodes.add(spec);
            int bound = switch (spec.kind) {
                case CONSTANT, VARIABLE, FEED -> spec.size < 0 ? elementsMax / 2 : spec.size;
                case CONCAT -> spec.inputs.stream().mapToInt(bounds::get).sum();
                default -> bounds.get(spec.inputs.getFirst());
            };
            for (int i = 0; i < spec.kind.outputCount(); i++) {
                Ref output = new Ref(spec.index, i);
                bounds.put(output, bound);
                variables.put(output, variable(spec, i));
            }
        }

        private int variable(Spec spec, int output) {
            boolean isVariable = spec.kind == Kind.VARIABLE;
            boolean passesOn = spec.kind == Kind.VIEW || spec.kind == Kind.PASS && output == 1;
            // On another task too: the order of a graph that is placed on many is one that it has in one process.
            return isVariable ? spec.index : passesOn ? variables.get(spec.inputs.getFirst()) : -1;
        }

        /** Where behaviour does not change, what is allocated last is never sent. */
        private Scratch scratch() {
            return switch (random.nextInt(4)) {
                case 0 -> Scratch.AFTER;
                case 1 -> traits.isChanging ? Scratch.BEFORE : Scratch.NONE;
                default -> Scratch.NONE;
            };
        }

        /** Nodes that came before, so none that changes a variable comes before one that reads it. */
        private List<Integer> controls() {
            int count = nodes.isEmpty() || random.nextInt(3) > 0 ? 0 : 1 + random.nextInt(2);
            return random.ints(count, 0, Math.max(1, nodes.size())).distinct().boxed().toList();
        }

        private Ref any() {
            Spec spec = nodes.get(random.nextInt(nodes.size()));
            return new Ref(spec.index, random.nextInt(spec.kind.outputCount()));
        }

        /**
         * Each variable by at most one node, with what is no variable itself; who reads the result reads no variable besides. So it is in
         * order always, and never a cycle.
         */
        private void changeVariables() {
            List<Ref> others = variables.keySet().stream().filter(output -> variables.get(output) < 0)
                    .sorted(IN_ORDER).toList();
            List<Ref> changed = new ArrayList<>();
            for (Spec spec : List.copyOf(nodes)) {
                if (spec.kind == Kind.VARIABLE && !others.isEmpty() && random.nextInt(3) > 0) {
                    Spec change = new Spec(nodes.size(), spec.task, Kind.ADD_TO,
                            List.of(new Ref(spec.index, 0), others.get(random.nextInt(others.size()))), controls(),
                            random.nextInt(), 0, Mode.values()[random.nextInt(Mode.values().length)],
                            spec.scratch);
                    addSpec(change);
                    changed.add(new Ref(change.index, 0));
                }
            }
            for (Ref each : changed) {
                if (random.nextBoolean()) {
                    List<Ref> inputs = others.isEmpty() || random.nextBoolean() ? List.of(each)
                            : List.of(each, others.get(random.nextInt(others.size())));
                    add(random.nextBoolean() ? Kind.MIX : Kind.IN_PLACE, inputs);
                }
            }
            changed.forEach(this::readBehind);
        }

        /** The variable itself, under another name, by control inputs: the change, or what waits for it, on any task. */
        private void readBehind(Ref change) {
            if (random.nextBoolean()) {
                int control = change.node;
                if (random.nextBoolean()) {
                    control = nodes.size();
                    add(Kind.CONSTANT, List.of(), List.of(change.node));
                }
                Ref variable = nodes.get(change.node).inputs.getFirst();
                Ref view = new Ref(nodes.size(), 0);
                add(nodes.get(variable.node).task, Kind.VIEW, List.of(variable), List.of(control));
                add(Kind.MIX, List.of(view));
            }
        }

        private Phase phase(int i) {
            Set<Integer> targets = new TreeSet<>();
            for (Spec spec : nodes) {
                if (i == 0 && !traits.isChanging || random.nextInt(3) > 0) {
                    targets.add(spec.index);
                }
            }
            Map<Integer, Integer> feeds = new TreeMap<>();
            for (Spec spec : nodes) {
                if (spec.kind == Kind.FEED) {
                    feeds.put(spec.index, spec.size < 0 ? 1 + random.nextInt(elementsMax / 2) : spec.size);
                }
            }
            // What is fetched once and computed in place once is there twice, which a plan cannot know.
            fetches = fetches == null || traits.isChanging ? fetches() : fetches;
            Set<Integer> needed = new RandomGraph(nodes, List.of()).needed(new Phase(targets, Set.of(), Map.of()))
                    .stream().map(Spec::index).collect(Collectors.toSet());
            return new Phase(targets, inOrder(fetches.stream().filter(fetch -> needed.contains(fetch.node)).toList()),
                    feeds);
        }

        private Set<Ref> fetches() {
            return inOrder(bounds.keySet().stream().sorted(IN_ORDER).filter(output -> random.nextInt(4) == 0).toList());
        }

        private static Set<Ref> inOrder(List<Ref> outputs) {
            Set<Ref> sorted = new TreeSet<>(IN_ORDER);
            sorted.addAll(outputs);
            return sorted;
        }
    }
}
