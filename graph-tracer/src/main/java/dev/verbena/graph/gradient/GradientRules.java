package dev.verbena.graph.gradient;

import java.util.HashMap;
import java.util.Map;

import dev.verbena.graph.Identity;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Reshape;

/**
 * The rules that gradients are made by, one for each class of operation. Those of {@link Identity} and {@link Reshape} are always there.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class GradientRules {
    private final Operation sum;
    private final Map<Class<? extends Operation>, GradientRule<?>> rules;

    private GradientRules(Operation sum, Map<Class<? extends Operation>, GradientRule<?>> rules) {
        this.sum = sum;
        this.rules = rules;
    }

    /**
     * Without rules for arithmetic, which is the caller's.
     *
     * @param sum takes two or more inputs of equal type; what several readers of an output send back is added by it, in the order in which
     *        the walk comes to them: the last reader first
     */
    public static GradientRules summingBy(Operation sum) {
        return new GradientRules(sum, Map.of())
                .with(Identity.class, (identity, node) -> node.give(0, node.gradient(0)))
                .with(Reshape.class, (reshape, node) -> node.give(0,
                        node.add("input_gradient", new Reshape(node.input(0).type().shape()), node.gradient(0))));
    }

    /** These and one more, or another one for a class that has one. */
    public <O extends Operation> GradientRules with(Class<O> operation, GradientRule<? super O> rule) {
        Map<Class<? extends Operation>, GradientRule<?>> more = new HashMap<>(rules);
        more.put(operation, rule);
        return new GradientRules(sum, Map.copyOf(more));
    }

    Operation sum() {
        return sum;
    }

    /** @return whether there is a rule for its operation */
    boolean append(Backward node) {
        Operation operation = node.node().operation();
        GradientRule<?> rule = rules.get(operation.getClass());
        if (rule == null) {
            return false;
        }
        append(rule, operation, node);
        return true;
    }

    /** The rule is that of the operation's class, by {@link #with}. */
    @SuppressWarnings("unchecked")
    private static <O extends Operation> void append(GradientRule<O> rule, Operation operation, Backward node) {
        rule.append((O) operation, node);
    }
}
