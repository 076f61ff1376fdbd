package dev.verbena.cli.perf;

import dev.verbena.cli.FailedRunException;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Connection;

/**
 * The first completion that was no success. Handlers of completions must not throw, so they note it here, and the loops throw.
 *
 * <p>Threading: confined to the command's thread.
 */
final class Trouble {
    private final Connection connection;
    private String first;

    Trouble(Connection connection) {
        this.connection = connection;
    }

    /** @return whether it is a success */
    boolean judge(Completion completion) {
        if (completion.status == CompletionStatus.SUCCESS) {
            return true;
        }
        note(completion.status + ": " + completion.cause);
        return false;
    }

    void note(String cause) {
        if (first == null) {
            first = cause;
        }
    }

    void throwIfAny() {
        if (first != null) {
            String lost = connection.lostCause();
            throw new FailedRunException(lost == null ? first : lost);
        }
    }

    /** For loops that look at memory and would not see a completion. */
    void throwIfLost() {
        if (connection.lostCause() != null) {
            throw new FailedRunException(connection.lostCause());
        }
    }
}
