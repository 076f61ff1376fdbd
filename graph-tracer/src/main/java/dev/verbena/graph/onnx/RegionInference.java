package dev.verbena.graph.onnx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.OnnxAttribute.Kind;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * What comes out of a dynamic region, from what comes out of the graphs within it: of a branch, if it is known which is taken, or what both
 * have in common; of a loop, what holds however often it runs.
 *
 * <p>A loop is gone through until what it carries from round to round is no less known behind a round than before it: first as the
 * values come in, then without what has changed.
 *
 * <p><b>Owner:</b> the inference. <b>Threading:</b> confined to its owner.
 *
 * @see <a href="https://github.com/onnx/onnx/blob/main/docs/Operators.md#Loop">ONNX: Loop</a>
 */
final class RegionInference {
    /** Each round makes a carried value less known; behind so many nothing is known of it. */
    private static final int ROUNDS_MAX = 4;
    /** Since then Scan has no batches. */
    private static final long SCAN_WITHOUT_BATCH = 9;

    private final OnnxNode node;
    private final long version;
    /** Null where an optional input is left out. */
    private final List<TensorFacts> inputs;
    /** Facts of a graph's outputs by those of its inputs; throws {@link OnnxException} where they contradict each other. */
    private final BiFunction<OnnxGraph, List<TensorFacts>, List<TensorFacts>> bodies;
    private final Set<String> deadBranches;

    /** @param deadBranches where those that are never taken are noted */
    RegionInference(OnnxNode node, long version, List<TensorFacts> inputs,
            BiFunction<OnnxGraph, List<TensorFacts>, List<TensorFacts>> bodies, Set<String> deadBranches) {
        this.node = node;
        this.version = version;
        this.inputs = inputs;
        this.bodies = bodies;
        this.deadBranches = deadBranches;
    }

    /** One for each output of the node. */
    List<TensorFacts> outputs() {
        try {
            List<TensorFacts> found = switch (node.qualifiedOperator()) {
                case "If" -> branches();
                case "Loop" -> loop();
                case "Scan" -> scan();
                default -> List.of();
            };
            if (found.size() == node.outputs().size()) {
                return found;
            }
            return unknown(node.label() + " is a dynamic region");
        } catch (ArithmeticException tooLarge) {
            return unknown("sizes within " + node.label() + " are no numbers: " + tooLarge.getMessage());
        } catch (OnnxException contradiction) {
            // It may be in a branch that is not taken, or a loop that does not run.
            return unknown(node.label() + " is a dynamic region, within which " + contradiction.place()
                    + " has shapes that contradict each other");
        }
    }

    private List<TensorFacts> unknown(String reason) {
        return Collections.nCopies(node.outputs().size(), TensorFacts.unranked(Optional.empty(), reason));
    }

    private Optional<OnnxGraph> graph(String attribute) {
        return Optional.ofNullable(node.attributes().get(attribute)).filter(each -> each.kind() == Kind.GRAPH)
                .map(each -> (OnnxGraph) each.value());
    }

    private Optional<TensorFacts> input(int index) {
        return index < inputs.size() ? Optional.ofNullable(inputs.get(index)) : Optional.empty();
    }

    private static Optional<Long> number(Optional<TensorFacts> facts) {
        return facts.flatMap(TensorFacts::contents).flatMap(Contents::numbers).filter(all -> all.length == 1)
                .map(all -> all[0]);
    }

    private List<TensorFacts> branches() {
        Optional<OnnxGraph> then = graph("then_branch");
        Optional<OnnxGraph> otherwise = graph("else_branch");
        if (then.isEmpty() || otherwise.isEmpty()) {
            return List.of();
        }
        Optional<Long> condition = number(input(0));
        if (condition.isPresent()) {
            boolean isTaken = condition.get() != 0;
            deadBranches.add((isTaken ? "else_branch" : "then_branch") + " of " + node.label());
            return own(bodies.apply(isTaken ? then.get() : otherwise.get(), List.of()));
        }
        List<TensorFacts> some = bodies.apply(then.get(), List.of());
        List<TensorFacts> others = bodies.apply(otherwise.get(), List.of());
        if (some.size() != others.size() || some.size() != node.outputs().size()) {
            return List.of();
        }
        List<TensorFacts> common = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            common.add(common(some.get(i), others.get(i), name(i), "branches of " + node.label() + " give "));
        }
        return common;
    }

    private String name(int output) {
        String name = output < node.outputs().size() ? node.outputs().get(output) : "";
        return name.isEmpty() ? node.label() + " output " + output : name;
    }

    /** What is so in both. Dimensions that only a run can tell are never the same, since each graph has names of its own. */
    private static TensorFacts common(TensorFacts one, TensorFacts other, String name, String what) {
        Optional<ElementType> type = one.elementType().equals(other.elementType()) ? one.elementType()
                : Optional.empty();
        if (one.shape().isEmpty() || other.shape().isEmpty()) {
            return TensorFacts.unranked(type, one.reason().or(other::reason).orElseThrow());
        }
        SymbolicShape left = one.shape().get();
        SymbolicShape right = other.shape().get();
        String reason = what + left + " and " + right;
        if (left.rank() != right.rank()) {
            return TensorFacts.unranked(type, reason);
        }
        List<Dimension> dimensions = new ArrayList<>();
        for (int i = 0; i < left.rank(); i++) {
            boolean isSame = left.dimension(i).equals(right.dimension(i)) && !left.dimension(i).isUnknown();
            dimensions.add(isSame ? left.dimension(i) : Dimension.unknown(name + "[" + i + "]",
                    left.dimension(i).reason().or(right.dimension(i)::reason).orElse(reason)));
        }
        return TensorFacts.of(type, new SymbolicShape(dimensions));
    }

    /** As outputs of this node, whose names are this graph's, without what is in them. */
    private List<TensorFacts> own(List<TensorFacts> facts) {
        List<TensorFacts> own = new ArrayList<>();
        for (int i = 0; i < facts.size(); i++) {
            own.add(common(facts.get(i), facts.get(i), name(i), ""));
        }
        return own;
    }

    private List<TensorFacts> loop() {
        Optional<OnnxGraph> body = graph("body");
        if (body.isEmpty() || body.get().inputs().size() != inputs.size() || inputs.size() < 2) {
            return List.of();
        }
        TensorFacts round = TensorFacts.of(Optional.of(ElementType.INT64), SymbolicShape.SCALAR);
        TensorFacts condition = TensorFacts.of(Optional.of(ElementType.BOOL), SymbolicShape.SCALAR);
        boolean mayGoOn = inputs.get(1) == null || number(input(1)).filter(each -> each != 0).isPresent();
        List<TensorFacts> carried = inputs.subList(2, inputs.size());
        if (carried.contains(null)) {
            return List.of();
        }
        List<TensorFacts> leading = List.of(round, mayGoOn ? condition.with(Contents.ofIntegers(1)) : condition);
        Rounds rounds = new Rounds(body.get(), leading, carried, List.of());
        boolean goesOn = mayGoOn
                && number(Optional.of(rounds.outputs.getFirst())).filter(each -> each != 0).isPresent();
        Optional<Dimension> times = input(0).flatMap(TensorFacts::contents).filter(all -> all.count() == 1)
                .flatMap(all -> all.integer(0)).filter(each -> goesOn && !each.isUnknown())
                .map(each -> each.isNeverNegative() ? each : each.max(Dimension.of(0)));
        String reason = "how often " + node.label() + " runs is known only at run time";
        List<TensorFacts> found = new ArrayList<>(rounds.carried);
        for (int i = 1 + carried.size(); i < rounds.outputs.size(); i++) {
            String name = name(found.size());
            found.add(stacked(rounds.outputs.get(i), 0,
                    times.orElseGet(() -> Dimension.unknown(name + "[0]", reason)), name));
        }
        return found;
    }

    private List<TensorFacts> scan() {
        Optional<OnnxGraph> body = graph("body");
        OnnxAttribute count = node.attributes().get("num_scan_inputs");
        boolean isUnderstood = version >= SCAN_WITHOUT_BATCH && body.isPresent() && count != null
                && count.kind() == Kind.INTEGER && body.get().inputs().size() == inputs.size()
                && !inputs.contains(null);
        long scanned = isUnderstood ? (long) count.value() : 0;
        if (scanned < 1 || scanned > inputs.size()) {
            return List.of();
        }
        int states = inputs.size() - (int) scanned;
        List<TensorFacts> slices = new ArrayList<>();
        Optional<Dimension> length = Optional.empty();
        for (int i = states; i < inputs.size(); i++) {
            TensorFacts input = inputs.get(i);
            if (input.shape().isEmpty()) {
                slices.add(TensorFacts.unranked(input.elementType(), input.reason().orElseThrow()));
                continue;
            }
            SymbolicShape shape = input.shape().get();
            Optional<Integer> axis = axis("scan_input_axes", i - states, shape.rank());
            if (axis.isEmpty()) {
                return List.of();
            }
            List<Dimension> dimensions = new ArrayList<>(shape.dimensions());
            Dimension removed = dimensions.remove((int) axis.get());
            length = length.filter(Dimension::isKnown).or(() -> Optional.of(removed));
            slices.add(TensorFacts.of(input.elementType(), new SymbolicShape(dimensions)));
        }
        Rounds rounds = new Rounds(body.get(), List.of(), inputs.subList(0, states), slices);
        List<TensorFacts> found = new ArrayList<>(rounds.carried);
        for (int i = states; i < rounds.outputs.size(); i++) {
            TensorFacts slice = rounds.outputs.get(i);
            String name = name(i);
            int axis = slice.shape().flatMap(shape -> axis("scan_output_axes", found.size() - states, shape.rank() + 1))
                    .orElse(0);
            found.add(stacked(slice, axis, length.filter(each -> !each.isUnknown()).orElseGet(() -> Dimension
                    .unknown(name + "[" + axis + "]", "how often " + node.label() + " runs is known only at run time")),
                    name));
        }
        return found;
    }

    /** Empty if there is no such axis. */
    private Optional<Integer> axis(String attribute, int index, int rank) {
        OnnxAttribute axes = node.attributes().get(attribute);
        long axis = axes != null && axes.kind() == Kind.INTEGERS && index < ((long[]) axes.value()).length
                ? ((long[]) axes.value())[index]
                : 0;
        return axis < -rank || axis >= rank ? Optional.empty() : Optional.of((int) (axis < 0 ? axis + rank : axis));
    }

    /** What each round gives, one behind the other. */
    private static TensorFacts stacked(TensorFacts slice, int axis, Dimension times, String name) {
        if (slice.shape().isEmpty() || slice.shape().get().rank() == Shape.RANK_MAX) {
            return TensorFacts.unranked(slice.elementType(), slice.reason().orElse("it has too many dimensions"));
        }
        List<Dimension> dimensions = new ArrayList<>();
        for (Dimension dimension : slice.shape().get().dimensions()) {
            dimensions.add(dimension.isUnknown()
                    ? Dimension.unknown(name + "[" + dimensions.size() + " of a round]",
                            dimension.reason().orElseThrow())
                    : dimension);
        }
        dimensions.add(axis, times);
        return TensorFacts.of(slice.elementType(), new SymbolicShape(dimensions));
    }

    /** Rounds of a loop, until nothing changes. */
    private final class Rounds {
        /** Before and behind any round. */
        private List<TensorFacts> carried;
        /** Of the graph within. */
        private List<TensorFacts> outputs;

        Rounds(OnnxGraph body, List<TensorFacts> leading, List<TensorFacts> initial, List<TensorFacts> slices) {
            carried = own(initial);
            Set<String> deadBefore = new TreeSet<>(deadBranches);
            for (int i = 0; outputs == null; i++) {
                // What never runs if nothing changes from round to round may run if something does.
                deadBranches.retainAll(deadBefore);
                List<TensorFacts> given = new ArrayList<>(leading);
                given.addAll(carried);
                given.addAll(slices);
                int first = leading.isEmpty() ? 0 : 1;
                List<TensorFacts> behind = bodies.apply(body, given);
                if (behind.size() < first + carried.size()) {
                    throw new OnnxException(node.label(), "its graph gives less than it carries");
                }
                List<TensorFacts> next = new ArrayList<>();
                for (int j = 0; j < carried.size(); j++) {
                    String what = "from round to round of " + node.label() + " it changes: ";
                    next.add(i < ROUNDS_MAX ? common(carried.get(j), behind.get(first + j), name(j), what)
                            : TensorFacts.unranked(Optional.empty(), what + "always"));
                }
                if (next.equals(carried) || i > ROUNDS_MAX) {
                    outputs = behind;
                }
                carried = next;
            }
        }
    }
}
