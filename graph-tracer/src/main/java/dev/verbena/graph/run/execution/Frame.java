package dev.verbena.graph.run.execution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.plan.RunPlan;
import dev.verbena.graph.plan.RunPlan.Source;
import dev.verbena.graph.plan.RunPlan.Step;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.memory.SessionMemory;
import dev.verbena.graph.run.memory.Storage;
import dev.verbena.graph.run.memory.Value;
import dev.verbena.memory.Tensor;

/**
 * A plan with a session's kernels, and room for what they compute: made once, run again and again; a run touches arrays only.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread.
 */
public final class Frame {
    private final NodeRun[] runs;
    private final NodeRun[] feeds;
    private final Value[] fetches;
    private boolean wasRun;

    /** @param completed hears of nodes that were started and are done */
    public Frame(RunPlan plan, RunServices services, Consumer<NodeRun> completed) {
        runs = new NodeRun[plan.steps().size()];
        for (int i = 0; i < runs.length; i++) {
            Step step = plan.steps().get(i);
            Value[] inputs = step.inputs().stream().map(this::value).toArray(Value[]::new);
            Value[] outputs = new Value[step.outputs().size()];
            for (int k = 0; k < outputs.length; k++) {
                outputs[k] = new Value(step.node().outputTypes().get(k), step.outputs().get(k));
            }
            Kernel kernel = services.kernel(step.node());
            if (kernel instanceof TransferKernel sender) {
                // None where a tensor is received, or only that a node has run is sent.
                for (Value input : inputs) {
                    input.addSender(sender::place);
                }
            }
            runs[i] = new NodeRun(step, kernel, new NodeFrame(step, inputs, outputs, services), completed);
        }
        feeds = Arrays.stream(runs).filter(run -> run.node().operation() instanceof Feed).toArray(NodeRun[]::new);
        fetches = plan.fetches().stream().map(this::value).toArray(Value[]::new);
    }

    private Value value(Source source) {
        return runs[source.step()].frame().output(source.output());
    }

    NodeRun[] runs() {
        return runs;
    }

    /** Whether it has never been run to its end. */
    public boolean isFirst() {
        return !wasRun;
    }

    /** Checks the feeds that the plan needs and takes them for the coming run. */
    public void feed(Map<String, Tensor> tensors) {
        Map<String, Long> numbers = new HashMap<>();
        for (NodeRun feed : feeds) {
            Graph.Node node = feed.node();
            Tensor tensor = tensors.get(node.name());
            TensorType type = node.outputTypes().getFirst();
            if (tensor == null) {
                throw new IllegalArgumentException("feed '" + node + "' is missing; give it a tensor of type=" + type);
            }
            if (!tensor.isOpen()) {
                throw new IllegalArgumentException("feed '" + node + "' is a freed tensor: " + tensor);
            }
            if (tensor.type() != type.elementType() || !type.shape().accepts(tensor.shape(), numbers)) {
                throw new IllegalArgumentException("feed '" + node + "' takes type=" + type + " but was given "
                        + tensor.type() + tensor.shape() + (numbers.isEmpty() ? "" : ", where " + numbers));
            }
        }
        for (NodeRun feed : feeds) {
            feed.frame().feed(tensors.get(feed.node().name()));
        }
    }

    /**
     * After a run: what was asked for, now the caller's. Storage that others own, or that is fetched twice, is copied. Null stands for what is dead.
     */
    public List<Tensor> fetch(SessionMemory memory) {
        List<Tensor> fetched = new ArrayList<>(fetches.length);
        try {
            for (Value value : fetches) {
                if (value.isDead()) {
                    fetched.add(null);
                    continue;
                }
                Tensor kept = value.takeKept();
                if (kept != null) {
                    fetched.add(kept);
                    continue;
                }
                Storage storage = value.storage();
                if (storage.isOwned() && storage.holdsVolatile() == 1) {
                    storage.handOver();
                    fetched.add(value.tensor());
                    continue;
                }
                Tensor copy = memory.allocateOrdinary(value.tensor().type(), value.tensor().shape());
                copy.memory().copyFrom(value.tensor().memory());
                fetched.add(copy);
                if (storage.isOwned()) {
                    storage.release();
                }
            }
        } catch (Throwable e) {
            fetched.stream().filter(Objects::nonNull).forEach(Tensor::close);
            abandon();
            throw e;
        }
        wasRun = true;
        return fetched;
    }

    /** After a failed run: closes everything except what kernels that did not end still work on. */
    void abandon() {
        Set<Storage> inUse = Collections.newSetFromMap(new IdentityHashMap<>());
        for (NodeRun run : runs) {
            if (run.goesOn()) {
                run.frame().collectInUse(inUse);
            }
        }
        for (NodeRun run : runs) {
            run.frame().abandon(inUse, run.goesOn());
        }
    }
}
