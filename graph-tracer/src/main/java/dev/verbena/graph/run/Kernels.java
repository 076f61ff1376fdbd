package dev.verbena.graph.run;

import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Identity;
import dev.verbena.graph.Merge;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Reshape;
import dev.verbena.graph.Switch;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.Variable;
import dev.verbena.graph.run.execution.NodeFrame;
import dev.verbena.memory.Shape;

/**
 * Finds the kernel of an operation: this package's own for {@link Feed}, {@link Variable}, {@link Identity}, {@link Reshape}, {@link Switch} and {@link Merge}, then what
 * is registered by the operation's name, then the operation itself, if it is one.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class Kernels {
    private static final Kernels STANDARD = new Kernels(Map.of());

    private final Map<String, Function<Operation, Kernel>> byName;

    private Kernels(Map<String, Function<Operation, Kernel>> byName) {
        this.byName = byName;
    }

    /** Nothing registered. */
    public static Kernels standard() {
        return STANDARD;
    }

    /**
     * The same, and that one too.
     *
     * @param operation its name
     * @param kernel makes it of what the operation says, once for each node of each session
     */
    public Kernels with(String operation, Function<Operation, Kernel> kernel) {
        Map<String, Function<Operation, Kernel>> more = new HashMap<>(byName);
        more.put(operation, kernel);
        return new Kernels(Map.copyOf(more));
    }

    /** A kernel for one node with that operation; empty if there is none. */
    Optional<Kernel> find(Operation operation) {
        return Optional.ofNullable(switch (operation) {
            case Feed feed -> (Kernel.Synchronous) context -> NodeFrame.of(context).provideFeed();
            case Variable variable -> (Kernel.Synchronous) context -> NodeFrame.of(context).provideVariable(variable);
            case Identity identity ->
                (Kernel.Synchronous) context -> context.forward(0, 0, context.input(0).shape());
            case Reshape reshape -> reshaping(reshape);
            case Switch _ -> (Kernel.Synchronous) Kernels::branch;
            case Merge _ -> (Kernel.Synchronous) Kernels::forwardLiving;
            default -> byName.containsKey(operation.name())
                    ? byName.get(operation.name()).apply(operation)
                    : operation instanceof Kernel kernel ? kernel : null;
        });
    }

    private static void branch(KernelContext context) {
        boolean isTrue = context.input(1).memory().get(ValueLayout.JAVA_BYTE, 0) != 0;
        context.forward(isTrue ? Switch.TRUE : Switch.FALSE, 0, context.input(0).shape());
        context.setDead(isTrue ? Switch.FALSE : Switch.TRUE);
    }

    private static void forwardLiving(KernelContext context) {
        int living = 0;
        while (context.isDead(living)) {
            living++;
        }
        context.forward(0, living, context.input(living).shape());
    }

    private static Kernel.Synchronous reshaping(Reshape reshape) {
        return context -> {
            Shape input = context.input(0).shape();
            context.forward(0, 0, reshape.resolve(SymbolicShape.of(input)).toShape());
        };
    }
}
