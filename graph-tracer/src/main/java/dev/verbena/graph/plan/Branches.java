package dev.verbena.graph.plan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Operation;

/**
 * Finds which outputs may be dead in a run: each is there under conditions, that branches are taken. An output of a node that is decided has one more
 * than its node. Where branches meet that are all there are of a decision, its condition is gone.
 *
 * <p>Conditions that nodes have in common are told by the output that decides. What is merged otherwise, without an input that always is there, has a
 * condition of its own, which nothing ends.
 */
final class Branches {
    /** That a decision has taken one of its branches. */
    private record Condition(Output decider, int branch, int branches) {}

    private final Map<Output, Set<Condition>> conditions = new HashMap<>();

    private Branches() {}

    /** The outputs that may be dead. */
    static Predicate<Output> mayBeDead(Graph graph) {
        Branches branches = new Branches();
        graph.nodes().forEach(branches::visit);
        return output -> !branches.of(output).isEmpty();
    }

    private Set<Condition> of(Output output) {
        return conditions.getOrDefault(output, Set.of());
    }

    private void visit(Node node) {
        Operation operation = node.operation();
        List<Set<Condition>> inputs = node.inputs().stream().map(this::of).toList();
        Set<Condition> own = operation.mergesBranches() ? merged(node, inputs) : union(inputs);
        int branches = node.outputTypes().size();
        for (int i = 0; i < branches; i++) {
            Set<Condition> all = own;
            if (operation.decidingInput() >= 0) {
                all = new HashSet<>(own);
                all.add(new Condition(node.inputs().get(operation.decidingInput()), i, branches));
            }
            if (!all.isEmpty()) {
                conditions.put(node.output(i), all);
            }
        }
    }

    private static Set<Condition> union(List<Set<Condition>> sets) {
        Set<Condition> union = new HashSet<>();
        sets.forEach(union::addAll);
        return union;
    }

    private static Set<Condition> merged(Node node, List<Set<Condition>> inputs) {
        Set<Condition> common = new HashSet<>(inputs.getFirst());
        inputs.forEach(common::retainAll);
        Set<Condition> rest = new HashSet<>();
        boolean isOneEach = true;
        for (Set<Condition> input : inputs) {
            Set<Condition> own = new HashSet<>(input);
            own.removeAll(common);
            isOneEach &= own.size() == 1;
            rest.addAll(own);
            if (own.isEmpty()) {
                return common; // it is there whenever any is
            }
        }
        if (!isOneEach || !isWhole(rest)) {
            common.add(new Condition(node.output(), 0, 1));
        }
        return common;
    }

    /** Whether they are all branches of one decision. */
    private static boolean isWhole(Set<Condition> conditions) {
        Condition any = conditions.iterator().next();
        return conditions.size() == any.branches
                && conditions.stream()
                        .allMatch(each -> each.decider.equals(any.decider) && each.branches == any.branches);
    }
}
