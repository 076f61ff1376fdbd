package dev.verbena.graph;

import dev.verbena.memory.Tensor;

/**
 * One output of a node within a run plan: made once, set anew in each run. Written by the run of its node, read by its readers.
 */
final class Value {
    final TensorType type;
    /** Inputs within the plan that read it. Fixed when the plan is complete. */
    int readers;
    /** Those of them that change its storage in place. Fixed when the plan is complete. */
    int changers;
    /** How often it is fetched. Fixed when the plan is complete. */
    int fetches;
    /** For storage that begins its life here. */
    final Storage own = new Storage();
    private Tensor tensor;
    private Storage storage;

    Value(TensorType type) {
        this.type = type;
    }

    /** In storage that begins here. */
    void setOwn(Tensor tensor, Storage.Kind kind) {
        own.take(tensor, kind);
        set(tensor, own);
    }

    /** In storage that began elsewhere. */
    void set(Tensor tensor, Storage storage) {
        this.tensor = tensor;
        this.storage = storage;
    }

    boolean isSet() {
        return tensor != null;
    }

    Tensor tensor() {
        return tensor;
    }

    Storage storage() {
        return storage;
    }

    /**
     * The node is done: its readers hold the storage from now on, and it no longer does. A fetch holds only what would be closed
     * otherwise; nobody has to wait for it to change a variable.
     */
    void publish() {
        storage.retain(readers + (storage.isOwned() ? fetches : 0));
        storage.expectChanges(changers);
        if (storage == own) {
            own.release();
        }
    }

    void clear() {
        tensor = null;
        storage = null;
    }
}
