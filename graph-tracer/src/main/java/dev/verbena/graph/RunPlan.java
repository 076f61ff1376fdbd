package dev.verbena.graph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.memory.Tensor;

/**
 * What one set of fetches and targets runs on a partition, computed once: from then on a run touches arrays only. Confined to
 * the session's thread.
 */
final class RunPlan {
    private final NodeRun[] runs;
    private final NodeRun[] feeds;
    private final Value[] fetches;
    private boolean wasRun;

    /** @param runs every node before those that wait for it */
    RunPlan(List<NodeRun> runs, List<Value> fetches) {
        this.runs = runs.toArray(NodeRun[]::new);
        this.fetches = fetches.toArray(Value[]::new);
        this.feeds = runs.stream().filter(run -> run.node().operation() instanceof Feed).toArray(NodeRun[]::new);
    }

    NodeRun[] runs() {
        return runs;
    }

    /** Whether it has never been run to its end. */
    boolean isFirst() {
        return !wasRun;
    }

    /** Checks the feeds that this plan needs and takes them for the coming run. */
    void feed(Map<String, Tensor> tensors) {
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
            if (!type.accepts(tensor.type(), tensor.shape())) {
                throw new IllegalArgumentException("feed '" + node + "' takes type=" + type + " but was given "
                        + tensor.type() + tensor.shape());
            }
        }
        for (NodeRun feed : feeds) {
            feed.feed(tensors.get(feed.node().name()));
        }
    }

    /** After a run: what was asked for, now the caller's. Storage that others own, or that is fetched twice, is copied. */
    List<Tensor> fetch(SessionMemory memory) {
        List<Tensor> fetched = new ArrayList<>(fetches.length);
        try {
            for (Value value : fetches) {
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
            fetched.forEach(Tensor::close);
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
            run.collectInUse(inUse);
        }
        for (NodeRun run : runs) {
            run.abandon(inUse);
        }
    }
}
