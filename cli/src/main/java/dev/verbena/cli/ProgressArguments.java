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

    /** Who may drive. */
    static final class Drivers extends Candidates {
        @Override
        protected List<String> words() {
            return List.of(CALLERS, POLLERS);
        }
    }

    @Option(names = "--driven-by", paramLabel = "WHO", defaultValue = CALLERS, completionCandidates = Drivers.class,
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
        new Drivers().require("--driven-by", drivenBy);
        Progress progress = drivenBy.equals(CALLERS) ? Progress.callers() : Progress.pollers();
        return spins == null ? progress : progress.withSpins(spins);
    }

    /** The options as a child process is to be given them. */
    List<String> toCommandLine() {
        String driver = "--driven-by=" + drivenBy;
        return spins == null ? List.of(driver) : List.of(driver, "--idle-spins=" + spins);
    }
}
