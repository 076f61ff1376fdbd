package dev.verbena.graph.run;

import dev.verbena.graph.Operation;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * What a kernel sees of its node during one run.
 *
 * <p><b>Owner:</b> the executor; kernels close nothing they get here. <b>Threading:</b> confined to the run of the node.
 */
public interface KernelContext {
    /** The node's name, for messages. */
    String nodeName();

    /** Inputs of the node, those that are dead in this run too; control inputs do not count. */
    int inputCount();

    /** An input; read only, except the {@link Operation#mutatedInputs()}. Null if it is {@linkplain #isDead dead}. */
    Tensor input(int index);

    /** Whether there is no such input in this run, since the branch that it is of is not taken; only where the operation {@linkplain Operation#mergesBranches merges}. */
    boolean isDead(int input);

    /** Leaves an output without a tensor in this run, since its branch is not taken; the operation says what {@linkplain Operation#decidingInput decides}. */
    void setDead(int output);

    /** Allocates an output, where the tracer says that it belongs; contents undefined. */
    Tensor allocateOutput(int index, ElementType type, Shape shape);

    /**
     * An output of the input's type and number of elements for an element-wise kernel: the input's own storage if nobody else
     * needs it, freshly allocated storage otherwise. Either way the kernel reads the input and writes the output. The operation
     * says that it does ({@link Operation#inPlaceInput}).
     */
    Tensor outputInPlace(int index, int input, Shape shape);

    /**
     * Makes an output the very storage of an input, whoever else reads it, under another shape of equally many elements. A variable that a peer has
     * lent is copied where the operation does not say that it {@linkplain Operation#forwards forwards}: the peer would wait for readers of whom
     * the plan knows nothing.
     */
    Tensor forward(int index, int input, Shape shape);

    /** Sets an output to a tensor made elsewhere, which the executor closes after its last use. */
    void setOutput(int index, Tensor tensor);

    /** Scratch memory that is gone when the node is done. */
    Tensor allocateTemporary(ElementType type, Shape shape);
}
