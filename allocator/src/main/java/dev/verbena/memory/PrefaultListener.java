package dev.verbena.memory;

/**
 * Told how far the pre-faulting of a region has come, after each piece of it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> called from several threads, by one at a time; what it takes, the region takes longer.
 */
@FunctionalInterface
public interface PrefaultListener {
    /**
     * So much is committed by now. Grows from call to call until {@code doneByteSize == byteSize}. If reserved huge pages run out on the
     * way, the slab gets others instead, and where pre-faulting was asked for it begins anew. What this throws ends the pre-faulting.
     */
    void onCommitted(long doneByteSize, long byteSize);
}
