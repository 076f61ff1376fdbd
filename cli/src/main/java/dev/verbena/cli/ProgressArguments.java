package dev.verbena.cli;

import java.util.List;

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
    @Option(names = "--idle-spins", paramLabel = "N",
            description = "Rounds without work before who drives sleeps; 0 sleeps at once; default: some microseconds' worth.")
    private Integer spins;

    /** Made by the command line. */
    public ProgressArguments() {}

    /** @throws BadInputException if it is neither, or the spins are negative */
    public Progress check() {
        if (spins != null && spins < 0) {
            throw new BadInputException("--idle-spins=" + spins + "; give 0 or more");
        }
        Progress progress = switch (drivenBy) {
            case CALLERS -> Progress.callers();
            case POLLERS -> Progress.pollers();
            default -> throw new BadInputException(
                    "--driven-by=" + drivenBy + " is unknown; give " + CALLERS + " or " + POLLERS);
        };
        return spins == null ? progress : progress.withSpins(spins);
    }

    /** The options as a child process is to be given them. */
    List<String> toCommandLine() {
        String driver = "--driven-by=" + drivenBy;
        return spins == null ? List.of(driver) : List.of(driver, "--idle-spins=" + spins);
    }
}
