package dev.verbena.transfer.spi;

/**
 * Takes completions as {@link CompletionQueue#poll} finds them.
 *
 * <p><b>Owner:</b> who polls. <b>Threading:</b> called within the poll, on its thread; must not throw or block.
 */
@FunctionalInterface
public interface CompletionHandler {
    /** Called once for each completion; the object is filled again for the next one, so keep its values, not the object. */
    void onCompletion(Completion completion);
}
