package dev.verbena.graph.run.execution;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Variable;
import dev.verbena.graph.plan.RunPlan.Step;
import dev.verbena.graph.plan.Send;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.graph.run.memory.Storage;
import dev.verbena.graph.run.memory.Value;
import dev.verbena.graph.run.memory.VariableStore;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.trace.TracedNode;

/**
 * What a node has in its hands during a run: inputs, outputs, temporaries, a feed. It is what a kernel sees ({@link KernelContext}).
 * Made once, used again and again.
 *
 * <p><b>Owner:</b> its {@link Frame}. <b>Threading:</b> the session's thread prepares and ends it; a kernel may use the context
 * on any one thread until it says that it is done.
 */
public final class NodeFrame implements KernelContext {
    private final Graph.Node node;
    private final Set<Integer> settledInputs;
    private final Value[] inputs;
    private final Value[] outputs;
    private final RunServices services;
    private final TracedNode traced;
    private final List<Tensor> temporaries = new ArrayList<>(0);
    private Tensor fed;

    NodeFrame(Step step, Value[] inputs, Value[] outputs, RunServices services) {
        this.node = step.node();
        this.settledInputs = step.settledInputs();
        this.inputs = inputs;
        this.outputs = outputs;
        this.services = services;
        this.traced = services.memory().tracer().node(node.name());
    }

    /** The session's own kernels need more than others do. */
    public static NodeFrame of(KernelContext context) {
        if (context instanceof NodeFrame frame) {
            return frame;
        }
        throw new IllegalArgumentException("node '" + context.nodeName() + "' runs in a session only");
    }

    Value output(int index) {
        return outputs[index];
    }

    // -- the run

    void begin() {
        traced.enter();
        for (Value output : outputs) {
            output.clear();
        }
    }

    /** Whether the branch that it is of is not taken: then it does not run. */
    boolean isDead() {
        boolean merges = node.operation().mergesBranches();
        for (Value input : inputs) {
            if (input.isDead() != merges) {
                return !merges;
            }
        }
        return merges;
    }

    /** In place of running. */
    public void die() {
        for (Value output : outputs) {
            output.die();
        }
    }

    /**
     * Whether it would overwrite variables that somebody else still reads. Control edges rule that out, except for readers of
     * an alias that an operation made without being known to; those it waits for.
     */
    boolean isBlocked() {
        for (int mutated : node.operation().mutatedInputs()) {
            Storage storage = inputs[mutated].storage();
            if (!storage.isReadBy(countUnsettled(storage))) {
                return true;
            }
        }
        return false;
    }

    /** @throws IllegalStateException if the kernel did not leave what was announced */
    void checkOutputs() {
        for (int i = 0; i < outputs.length; i++) {
            Value output = outputs[i];
            if (!output.isSet()) {
                throw new IllegalStateException("output " + i + " was not set");
            }
            if (!output.isAsAnnounced()) {
                throw new IllegalStateException(
                        "output " + i + " is " + output.tensor() + " but was announced as " + output.type());
            }
        }
    }

    /** Passes the outputs on, and lets go of everything else. */
    void finish() {
        closeTemporaries();
        for (Value output : outputs) {
            if (!(node.operation() instanceof Variable)) {
                output.keepForFetches(services.memory());
            }
            output.publish();
        }
        for (int settled : settledInputs) {
            if (!inputs[settled].isDead()) {
                inputs[settled].storage().settle();
            }
        }
        for (Value input : inputs) {
            if (node.operation() instanceof Send) {
                input.sent();
            }
            if (!input.isDead()) {
                input.storage().release();
            }
        }
        fed = null;
    }

    /** After a failed run: what a kernel that goes on works on. */
    void collectInUse(Set<Storage> inUse) {
        for (Value input : inputs) {
            inUse.add(input.storage());
        }
        for (Value output : outputs) {
            inUse.add(output.own());
        }
    }

    /**
     * After a failed run.
     *
     * @param goesOn whether the kernel does, and needs its temporaries
     */
    void abandon(Set<Storage> inUse, boolean goesOn) {
        for (Value output : outputs) {
            output.abandon();
            if (!inUse.contains(output.own())) {
                output.own().abandon();
            }
        }
        if (!goesOn) {
            closeTemporaries();
        }
        fed = null;
    }

    private void closeTemporaries() {
        temporaries.forEach(Tensor::close);
        temporaries.clear();
    }

    private int countInputs(Storage storage) {
        int count = 0;
        for (Value input : inputs) {
            if (input.storage() == storage) {
                count++;
            }
        }
        return count;
    }

    private int countUnsettled(Storage storage) {
        int count = countInputs(storage);
        for (int settled : settledInputs) {
            if (inputs[settled].storage() == storage) {
                count--;
            }
        }
        return count;
    }

    // -- the session's own kernels

    void feed(Tensor tensor) {
        fed = tensor;
    }

    public void provideFeed() {
        outputs[0].setOwn(fed, Storage.Kind.FEED);
    }

    public void provideVariable(Variable variable) {
        VariableStore.Entry entry = services.variables().provide(node, variable, traced);
        outputs[0].set(entry.tensor(), entry.storage());
    }

    /** What a peer has lent, until its last reader is done. */
    public void borrow(Tensor lent) {
        services.memory().tracer().received(lent);
        outputs[0].setOwn(lent, Storage.Kind.LENT);
    }

    /** Whether the input has been {@linkplain #stage staged} in this run. */
    public boolean isStaged(int input) {
        return inputs[input].isStaged();
    }

    /** A copy of an input in registered memory, for all Send nodes that send it in this run; null if there is no room for it at present. */
    public Tensor stage(int input) {
        return inputs[input].stage(services.memory(), node.name());
    }

    // -- kernels

    @Override
    public String nodeName() {
        return node.name();
    }

    @Override
    public int inputCount() {
        return inputs.length;
    }

    @Override
    public Tensor input(int index) {
        return inputs[index].tensor();
    }

    @Override
    public boolean isDead(int input) {
        return inputs[input].isDead();
    }

    @Override
    public void setDead(int output) {
        if (node.operation().decidingInput() < 0) {
            throw new IllegalArgumentException("output " + output + " dead, which operation " + node.operation().name()
                    + " does not say (Operation.decidingInput), so that no peer reckons with it");
        }
        checkUnset(output);
        outputs[output].die();
    }

    @Override
    public Tensor allocateOutput(int index, ElementType type, Shape shape) {
        checkUnset(index);
        return newOutput(index, type, shape);
    }

    @Override
    public Tensor outputInPlace(int index, int input, Shape shape) {
        checkUnset(index);
        if (node.operation().inPlaceInput(index) != input) {
            throw new IllegalArgumentException("output " + index + " in place of input " + input + ", which operation "
                    + node.operation().name()
                    + " does not say (Operation.inPlaceInput), so that the plan has no room for both");
        }
        Value source = inputs[input];
        if (shape.elementCount() != source.tensor().shape().elementCount()) {
            throw new IllegalArgumentException(
                    "output " + index + " of shape=" + shape + " cannot be in place of input " + input
                            + " of shape=" + source.tensor().shape());
        }
        if (mayOverwrite(source.storage()) && services.memory().reuse(traced, source.tensor())) {
            return alias(index, source, shape);
        }
        return newOutput(index, source.tensor().type(), shape);
    }

    @Override
    public Tensor forward(int index, int input, Shape shape) {
        checkUnset(index);
        Value source = inputs[input];
        if (!source.storage().isLent() || node.operation().forwards()) {
            return alias(index, source, shape);
        }
        Tensor copy = newOutput(index, source.tensor().type(), shape);
        copy.memory().copyFrom(source.tensor().memory());
        return copy;
    }

    @Override
    public void setOutput(int index, Tensor tensor) {
        checkUnset(index);
        for (Value input : inputs) {
            if (!input.isDead() && input.tensor().sharesStorageWith(tensor)) {
                throw new IllegalArgumentException(
                        "output " + index + " is the storage of an input; forward it instead");
            }
        }
        services.memory().tracer().received(tensor);
        ownOutput(index, tensor);
    }

    @Override
    public Tensor allocateTemporary(ElementType type, Shape shape) {
        Tensor tensor = services.memory().allocate(traced, type, shape);
        temporaries.add(tensor);
        return tensor;
    }

    private Tensor newOutput(int index, ElementType type, Shape shape) {
        return ownOutput(index, services.memory().allocate(traced, type, shape, outputs[index].destination()));
    }

    private Tensor ownOutput(int index, Tensor tensor) {
        outputs[index].setOwn(tensor, Storage.Kind.OWNED);
        return tensor;
    }

    private Tensor alias(int index, Value source, Shape shape) {
        Tensor tensor = source.tensor();
        Tensor alias = tensor.shape().equals(shape) ? tensor : tensor.reshaped(shape);
        outputs[index].set(alias, source.storage());
        return alias;
    }

    /** Not a variable, not a feed, not lent, nobody else's any more, and not handed on by another output of this node. */
    private boolean mayOverwrite(Storage storage) {
        for (Value output : outputs) {
            if (output.storage() == storage) {
                return false;
            }
        }
        return storage.isOwned() && storage.holdsVolatile() == countInputs(storage);
    }

    private void checkUnset(int index) {
        if (outputs[index].isSet()) {
            throw new IllegalStateException("output " + index + " of node '" + node + "' is set twice");
        }
    }
}
