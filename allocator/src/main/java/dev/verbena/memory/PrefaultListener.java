package dev.verbena.memory;

/**
 * Told how far the pre-faulting of a region has come, after each piece of it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> called from several threads, by one at a time; what it takes, the region takes longer.
 */
@FunctionalInterface
public interface PrefaultListener {
    /**
     * So much more is committed. Grows from call to call until {@code doneByteSize == byteSize}; begins anew if reserved huge pages run
     * out on the way and the slab gets others instead. What it throws ends the pre-faulting.
     */
    void onCommitted(long doneByteSize, long byteSize);
}
