package dev.verbena.transfer.spi;

/**
 * Takes completions as {@link CompletionQueue#poll} finds them.
 *
 * <p><b>Owner:</b> the poller. <b>Threading:</b> called on the poller's thread only; must not throw or block.
 */
@FunctionalInterface
public interface CompletionHandler {
    void onCompletion(Completion completion);
}
