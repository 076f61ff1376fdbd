package dev.verbena.cli;

import dev.verbena.transfer.Progress;
import picocli.CommandLine.Option;

/**
 * Whose threads move a device's transfers on.
 *
 * <p><b>Owner:</b> the command that mixes it in. <b>Threading:</b> confined to the command's thread.
 */
public final class ProgressArguments {
    private static final String CALLERS = "callers";
    private static final String POLLERS = "pollers";

    @Option(names = "--driven-by", paramLabel = "WHO", defaultValue = CALLERS,
            description = "Who moves transfers on: callers, as they offer, poll and wait, or pollers, threads of the device;"
                    + " default ${DEFAULT-VALUE}.")
    private String drivenBy;

    /** Made by the command line. */
    public ProgressArguments() {}

    /** @throws BadInputException if it is neither */
    public Progress check() {
        return switch (drivenBy) {
            case CALLERS -> Progress.callers();
            case POLLERS -> Progress.pollers();
            default -> throw new BadInputException(
                    "--driven-by=" + drivenBy + " is unknown; give " + CALLERS + " or " + POLLERS);
        };
    }

    /** The option as a child process is to be given it. */
    String toCommandLine() {
        return "--driven-by=" + drivenBy;
    }
}
