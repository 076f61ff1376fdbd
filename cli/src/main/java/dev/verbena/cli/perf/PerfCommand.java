package dev.verbena.cli.perf;

import java.util.List;
import java.util.concurrent.Callable;

import dev.verbena.cli.ExitStatus;
import dev.verbena.cli.FailedRunException;
import dev.verbena.cli.JsonOutput;
import dev.verbena.cli.WaitNotices;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code verbena perf}: bandwidth and latency of a fabric, with perftest's options and columns.
 *
 * <p><b>Owner:</b> the command line. <b>Threading:</b> confined to the command's thread.
 */
@Command(name = "perf", mixinStandardHelpOptions = true, subcommands = {TensorCommand.class, AllReduceCommand.class},
        description = "Measure a fabric as perftest does: a server without HOST, then a client with it; or tensors; or all-reduces.",
        footer = {"On one machine, or on two with the server's name:",
                "  verbena perf write_bw &",
                "  verbena perf write_bw localhost",
                "The server serves one client and ends. On shm it listens on 127.0.0.1, else on every address of the host"
                        + " (0.0.0.0), as perftest's does.",
                "What takes longer than a few seconds is said on standard error: 'still waiting for ...'."})
public final class PerfCommand implements Callable<Integer> {
    @Mixin
    private PerfArguments arguments;
    @Mixin
    private JsonOutput json;

    /** Made by the command line. */
    public PerfCommand() {}

    @Override
    public Integer call() {
        PerfOptions options = arguments.check();
        json.check();
        WaitNotices notices = WaitNotices.onStandardError();
        try (PerfConnection connection = PerfConnection.open(options, notices)) {
            PerfReport report = measure(options, connection, notices);
            json.text().print(report.toTable());
            json.write(report.toMap());
        }
        return ExitStatus.SUCCESS;
    }

    private PerfReport measure(PerfOptions options, PerfConnection connection, WaitNotices notices) {
        if (options.isServer()) {
            json.notices().println("* waiting for a client at " + connection.listen() + " *");
        }
        return new PerfReport(options, connection.fabricName(), run(options, connection, notices));
    }

    private List<Measurement> run(PerfOptions options, PerfConnection connection, WaitNotices notices) {
        try {
            Conversation conversation = connection.begin();
            json.text().print(PerfReport.title(options, connection.fabricName()));
            json.text().flush();
            try (WaitNotices.Notice _ = notices.begin(conversation::doing, "", WaitNotices.NO_LIMIT)) {
                return conversation.run();
            }
        } catch (FailedRunException e) {
            String cause = options.test() + ": " + e.getMessage();
            connection.abort(cause);
            throw new FailedRunException(cause);
        }
    }
}
