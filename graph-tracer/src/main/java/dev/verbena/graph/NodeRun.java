package dev.verbena.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * A node within a run plan: made once, run again and again. It is what its kernel sees ({@link KernelContext}) and what an
 * asynchronous kernel calls when it is done ({@link #accept}).
 *
 * <p>The executor's thread drives it; the kernel may use the context on any one thread until it says that it is done.
 */
final class NodeRun implements KernelContext, Consumer<Throwable> {
    private final Graph.Node node;
    private final Value[] inputs;
    private final Value[] outputs;
    private final RunServices services;
    private final NodeSites sites;
    private final List<Tensor> temporaries = new ArrayList<>(0);
    private final AtomicReference<NodeState> state = new AtomicReference<>(NodeState.WAITING);
    /** Fixed when the plan is complete. */
    private NodeRun[] successors = {};
    private int predecessorCount;

    private int outstanding;
    private int allocations;
    private Tensor fed;
    private Throwable failure;

    NodeRun(Graph.Node node, Value[] inputs, RunServices services) {
        this.node = node;
        this.inputs = inputs;
        this.services = services;
        this.sites = services.memory().tracer().sitesOf(node.name());
        this.outputs = node.outputTypes().stream().map(Value::new).toArray(Value[]::new);
    }

    /** The session's own operations need more than a kernel does. */
    static NodeRun of(KernelContext context) {
        if (context instanceof NodeRun run) {
            return run;
        }
        throw new IllegalArgumentException("node '" + context.nodeName() + "' runs in a session only");
    }

    // -- the plan

    void link(Set<NodeRun> successors, int predecessorCount) {
        this.successors = successors.toArray(NodeRun[]::new);
        this.predecessorCount = predecessorCount;
    }

    Graph.Node node() {
        return node;
    }

    Value output(int index) {
        return outputs[index];
    }

    // -- the executor

    void begin() {
        outstanding = predecessorCount;
        allocations = 0;
        failure = null;
        for (Value output : outputs) {
            output.clear();
        }
        state.set(NodeState.WAITING);
    }

    boolean isSource() {
        return predecessorCount == 0;
    }

    NodeRun[] successors() {
        return successors;
    }

    /** @return whether that was the last thing it waited for */
    boolean predecessorFinished() {
        return --outstanding == 0;
    }

    NodeState state() {
        return state.get();
    }

    void become(NodeState next) {
        NodeState seen = state.get();
        if (!seen.canBecome(next) || !state.compareAndSet(seen, next)) {
            throw new IllegalStateException("node '" + node + "' cannot become " + next + " from " + state.get());
        }
    }

    /** Its start threw. @return whether it had not said that it is done before */
    boolean endedByThrowing() {
        return state.compareAndSet(NodeState.STARTED, NodeState.COMPLETED);
    }

    /** What the kernel passed to its done; null if nothing failed. */
    Throwable failure() {
        return failure;
    }

    /**
     * Whether it would overwrite a variable that somebody else still reads. Control edges rule that out, except for readers of
     * an alias that an operation made without being known to; those it waits for.
     */
    boolean isBlocked() {
        int mutated = node.operation().mutatedInput();
        if (mutated < 0) {
            return false;
        }
        Storage storage = inputs[mutated].storage();
        return !storage.isReadBy(countInputs(storage) - 1);
    }

    /** Checks what the kernel left, passes the outputs on, and lets go of everything else. */
    void finish() {
        for (int i = 0; i < outputs.length; i++) {
            Value output = outputs[i];
            if (!output.isSet()) {
                throw new IllegalStateException("output " + i + " was not set");
            }
            if (!output.type.accepts(output.tensor().type(), output.tensor().shape())) {
                throw new IllegalStateException(
                        "output " + i + " is " + output.tensor() + " but was announced as " + output.type);
            }
        }
        become(NodeState.FINISHED);
        closeTemporaries();
        for (Value output : outputs) {
            output.publish();
        }
        int mutated = node.operation().mutatedInput();
        if (mutated >= 0) {
            inputs[mutated].storage().changed();
        }
        for (Value input : inputs) {
            input.storage().release();
        }
        fed = null;
    }

    /** After a failed run, storage that a kernel still works on must stay. */
    void collectInUse(Set<Storage> inUse) {
        if (state.get() == NodeState.STARTED && !(node.operation() instanceof SendOperation)) {
            for (Value input : inputs) {
                inUse.add(input.storage());
            }
            for (Value output : outputs) {
                inUse.add(output.own);
            }
        }
    }

    void abandon(Set<Storage> inUse) {
        for (Value output : outputs) {
            if (!inUse.contains(output.own)) {
                output.own.abandon();
            }
        }
        if (state.get() != NodeState.STARTED) {
            closeTemporaries();
        }
        fed = null;
    }

    private void closeTemporaries() {
        temporaries.forEach(Tensor::close);
        temporaries.clear();
    }

    private boolean isLastReader(Storage storage) {
        return storage.holdsVolatile() == countInputs(storage);
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

    /** The kernel is done; called on any thread. */
    @Override
    public void accept(Throwable cause) {
        failure = cause;
        become(NodeState.COMPLETED);
        services.completed(this);
    }

    // -- the session's own operations

    void feed(Tensor tensor) {
        fed = tensor;
    }

    void provideFeed() {
        outputs[0].setOwn(fed, Storage.Kind.FEED);
    }

    void provideVariable(Variable variable) {
        VariableStore.Entry entry = services.variables().provide(node, variable, sites.at(0));
        outputs[0].set(entry.tensor(), entry.storage());
    }

    // -- the kernel

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
    public Tensor allocateOutput(int index, ElementType type, Shape shape) {
        checkUnset(index);
        return ownOutput(index, services.memory().allocate(nextSite(), type, shape));
    }

    @Override
    public Tensor outputInPlace(int index, int input, Shape shape) {
        checkUnset(index);
        Value source = inputs[input];
        if (shape.elementCount() != source.tensor().shape().elementCount()) {
            throw new IllegalArgumentException(
                    "output " + index + " of shape=" + shape + " cannot be in place of input " + input
                            + " of shape=" + source.tensor().shape());
        }
        AllocationSite site = nextSite();
        if (mayOverwrite(source.storage()) && services.memory().reuse(site, source.tensor())) {
            return alias(index, source, shape);
        }
        return ownOutput(index, services.memory().allocate(site, source.tensor().type(), shape));
    }

    @Override
    public Tensor forward(int index, int input, Shape shape) {
        checkUnset(index);
        return alias(index, inputs[input], shape);
    }

    @Override
    public void setOutput(int index, Tensor tensor) {
        checkUnset(index);
        for (Value input : inputs) {
            if (input.tensor().sharesStorageWith(tensor)) {
                throw new IllegalArgumentException(
                        "output " + index + " is the storage of an input; forward it instead");
            }
        }
        ownOutput(index, tensor);
    }

    @Override
    public Tensor allocateTemporary(ElementType type, Shape shape) {
        Tensor tensor = services.memory().allocate(nextSite(), type, shape);
        temporaries.add(tensor);
        return tensor;
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

    /** Not a variable, not a feed, nobody else's any more, and not handed on by another output of this node. */
    private boolean mayOverwrite(Storage storage) {
        for (Value output : outputs) {
            if (output.storage() == storage) {
                return false;
            }
        }
        return storage.isOwned() && isLastReader(storage);
    }

    private AllocationSite nextSite() {
        return sites.at(allocations++);
    }

    private void checkUnset(int index) {
        if (outputs[index].isSet()) {
            throw new IllegalStateException("output " + index + " of node '" + node + "' is set twice");
        }
    }
}
