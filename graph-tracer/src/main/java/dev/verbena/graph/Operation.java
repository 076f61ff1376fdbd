package dev.verbena.graph;

import java.util.List;
import java.util.Set;

/**
 * What a node computes, as far as it can be told before it runs: a name, a shape function and effects. Kernels are looked up apart from it
 * ({@code dev.verbena.graph.run.Kernels}), so a graph can be planned where it cannot be run; one that is its own kernel needs no looking up.
 *
 * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable; the shape function is pure.
 */
public interface Operation {
    /** The operation's name, such as {@code MatMul}; what kernels are registered by. */
    String name();

    /**
     * The types of the outputs, given those of the inputs; symbolic and unknown dimensions may go in and come out.
     *
     * @throws IllegalArgumentException if the inputs do not fit each other; the message says which and how
     */
    List<TensorType> infer(List<TensorType> inputs);

    /** The inputs whose storage the kernel overwrites, by index: variables. Every other reader of one runs before, unless its control inputs put it behind. */
    default Set<Integer> mutatedInputs() {
        return Set.of();
    }

    /**
     * The input whose storage an output may take if nobody else needs it, or -1. Who reads the input elsewhere may keep it, so that both are
     * there at the same time: the plan has room for that.
     */
    default int inPlaceInput(int output) {
        return -1;
    }

    /**
     * The input that decides which one of its outputs is there; the others are <em>dead</em> in that run, since their branch is not taken: nodes that
     * read a dead output do not run, and their outputs are dead. -1 if all outputs always are there. Two nodes that are decided by one output, and
     * have equally many, take the same branch.
     */
    default int decidingInput() {
        return -1;
    }

    /**
     * Whether it runs although inputs are dead: where branches meet. It runs when each input is there or known to be dead; its output is dead if all
     * are. Else a node with a dead input does not run.
     */
    default boolean mergesBranches() {
        return false;
    }

    /**
     * Whether its only output always is the storage of its only input, so that who reads the output reads the input. Who forwards without
     * saying so makes the nodes that change the storage wait, in the run, for readers that the plan does not know; and copies what another task has lent.
     */
    default boolean forwards() {
        return false;
    }
}
