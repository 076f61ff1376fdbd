package dev.verbena.graph.run.memory;

import java.util.LinkedHashMap;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Variable;
import dev.verbena.memory.Tensor;
import dev.verbena.trace.TracedNode;

/**
 * The tensors of a session's variables.
 *
 * <p>A variable is allocated once, so when the tracer finds its site, there is no later allocation to send elsewhere. Instead
 * {@link #moveRegistered()} copies it over, once, between the iteration that sent it first and the next one.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread.
 */
public final class VariableStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VariableStore.class);

    /**
     * One variable; its storage is the same object in every run plan.
     *
     * <p><b>Owner:</b> the store. <b>Threading:</b> confined to the session's thread.
     */
    public static final class Entry {
        private final TracedNode traced;
        private final Storage storage = new Storage();

        private Entry(TracedNode traced, Tensor tensor) {
            this.traced = traced;
            keep(tensor);
        }

        private void keep(Tensor tensor) {
            storage.take(tensor, Storage.Kind.VARIABLE);
            storage.release();
        }

        public Storage storage() {
            return storage;
        }

        public Tensor tensor() {
            return storage.tensor();
        }
    }

    private final SessionMemory memory;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    public VariableStore(SessionMemory memory) {
        this.memory = memory;
    }

    /** The variable of a node, initialised if this is the first time. */
    public Entry provide(Graph.Node node, Variable variable, TracedNode traced) {
        Entry entry = entries.get(node.name());
        if (entry == null) {
            entry = new Entry(traced, initialised(variable, traced));
            entries.put(node.name(), entry);
        } else {
            memory.tracer().kept(traced, entry.tensor());
        }
        return entry;
    }

    private Tensor initialised(Variable variable, TracedNode traced) {
        Tensor tensor = memory.allocate(traced, variable.type().elementType(), variable.type().shape().toShape());
        try {
            variable.initializer().accept(tensor);
        } catch (Throwable e) {
            tensor.close();
            throw e;
        }
        return tensor;
    }

    /** Moves variables whose sites have become registered into registered memory; no node may be running. */
    public void moveRegistered() {
        for (Map.Entry<String, Entry> variable : entries.entrySet()) {
            Entry entry = variable.getValue();
            Tensor old = entry.tensor();
            entry.traced.enter();
            if (memory.tracer().isRegistered(entry.traced, old.byteSize())) {
                Tensor copy = memory.copyToRegistered(old);
                if (copy != null) {
                    entry.keep(copy);
                    old.close();
                    LOG.debug("variable {} moved into registered memory, byteSize={}", variable.getKey(),
                            copy.byteSize());
                }
            }
        }
    }

    @Override
    public void close() {
        entries.values().forEach(entry -> entry.tensor().close());
        entries.clear();
    }
}
