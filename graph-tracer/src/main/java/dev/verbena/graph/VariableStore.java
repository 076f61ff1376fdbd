package dev.verbena.graph;

import java.util.LinkedHashMap;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.memory.Tensor;

/**
 * The tensors of a session's variables. Confined to the session's thread.
 *
 * <p>A variable is allocated once, so when the tracer finds its site, there is no later allocation to send elsewhere. Instead
 * {@link #moveRegistered()} copies it over, once, between the iteration that was traced and the next one.
 */
final class VariableStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VariableStore.class);

    /** One variable; its storage is the same object in every run plan. */
    static final class Entry {
        private final AllocationSite site;
        private final Storage storage = new Storage();

        private Entry(AllocationSite site, Tensor tensor) {
            this.site = site;
            keep(tensor);
        }

        private void keep(Tensor tensor) {
            storage.take(tensor, Storage.Kind.VARIABLE);
            storage.release();
        }

        Storage storage() {
            return storage;
        }

        Tensor tensor() {
            return storage.tensor();
        }
    }

    private final SessionMemory memory;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    VariableStore(SessionMemory memory) {
        this.memory = memory;
    }

    /** The variable of a node, initialised if this is the first time. */
    Entry provide(Graph.Node node, Variable variable, AllocationSite site) {
        Entry entry = entries.get(node.name());
        if (entry == null) {
            entry = new Entry(site, initialised(variable, site));
            entries.put(node.name(), entry);
        } else {
            // A later run plan has a first iteration of its own, and its tracer must know this address too.
            memory.tracer().allocated(site, entry.tensor().address());
        }
        return entry;
    }

    private Tensor initialised(Variable variable, AllocationSite site) {
        Tensor tensor = memory.allocate(site, variable.type().elementType(), variable.type().shape().toShape());
        try {
            variable.initializer().accept(tensor);
        } catch (Throwable e) {
            tensor.close();
            throw e;
        }
        return tensor;
    }

    /** Moves variables whose sites have become registered into registered memory; no node may be running. */
    void moveRegistered() {
        for (Map.Entry<String, Entry> variable : entries.entrySet()) {
            Entry entry = variable.getValue();
            if (entry.site.isRegistered()) {
                Tensor old = entry.tensor();
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

    int count() {
        return entries.size();
    }

    @Override
    public void close() {
        entries.values().forEach(entry -> entry.tensor().close());
        entries.clear();
    }
}
