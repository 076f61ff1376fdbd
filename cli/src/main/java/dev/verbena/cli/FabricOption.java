package dev.verbena.cli;

import java.util.List;

import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import picocli.CommandLine.Option;

/**
 * The option {@code --fabric}, the same for every command that sends tensors.
 *
 * <p><b>Owner:</b> the command. <b>Threading:</b> confined to its thread.
 */
public final class FabricOption {
    /** What there is, and the choice among it. */
    static final class Names extends Candidates {
        @Override
        protected List<String> words() {
            return List.of("auto", "shm", "verbs");
        }
    }

    @Option(names = "--fabric", paramLabel = "NAME", defaultValue = "auto", completionCandidates = Names.class,
            description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}, which is verbs where there is an RDMA device that works.")
    private String name;

    /** Made by the command line. */
    public FabricOption() {}

    public String name() {
        return name;
    }

    /**
     * The name of the fabric that will be used.
     *
     * @throws BadInputException if there is none of that name, or it does not work here
     */
    public String select(NetworkOptions network) {
        try (WaitNotices.Notice _ = WaitNotices.onStandardError().beginAskingDevices()) {
            return Fabrics.select(name, network).name();
        } catch (TransferException | IllegalArgumentException e) {
            throw new BadInputException("--fabric=" + name + ": " + e.getMessage());
        }
    }
}
