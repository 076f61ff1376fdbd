package dev.verbena.cli;

import java.util.List;

import dev.verbena.cli.infer.InferCommand;
import dev.verbena.cli.infer.InferPartCommand;
import dev.verbena.cli.launch.LaunchCommand;
import dev.verbena.cli.perf.PerfCommand;
import dev.verbena.cli.top.TopCommand;
import dev.verbena.cli.trace.TraceCommand;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The {@code verbena} command: parses, runs, and turns every failure into one line and a status. */
@Command(name = "verbena", mixinStandardHelpOptions = true, versionProvider = Verbena.Version.class,
        description = "Zero-copy tensors between JVMs.", subcommands = {
                TrainCommand.class, TaskCommand.class, LaunchCommand.class, PerfCommand.class, InfoCommand.class,
                DoctorCommand.class,
                TopCommand.class, TraceCommand.class, InferCommand.class, InferPartCommand.class,
                AutoComplete.GenerateCompletion.class, CommandLine.HelpCommand.class},
        footer = {"In the source tree also: test, bench, stress and docs, each with --help."},
        modelTransformer = CommonHelp.class)
final class Verbena implements Runnable {
    @Spec
    private CommandSpec spec;

    /** Entry of the JVM. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Verbena()).setCaseInsensitiveEnumValuesAllowed(true);
        // Options behind the command that is launched are its own.
        line.getSubcommands().get("launch").setStopAtPositional(true);
        return line.setParameterExceptionHandler((e, arguments) -> {
            Complaint.print(withHint(e));
            return ExitStatus.BAD_INPUT;
        }).setExecutionExceptionHandler((e, command, parse) -> statusOf(e));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(),
                "say what to do: train, launch, trace, infer, perf, top, info, doctor, test, or --help");
    }

    private static int statusOf(Exception e) {
        if (e instanceof FailedRunException && e.getMessage() == null) {
            return ExitStatus.FAILED;
        }
        Complaint.print(Complaint.of(e));
        if (e instanceof BadInputException) {
            return ExitStatus.BAD_INPUT;
        }
        if (!(e instanceof FailedRunException)) {
            // A defect, not a circumstance: whoever reports it needs the trace.
            e.printStackTrace();
        }
        return ExitStatus.FAILED;
    }

    private static String withHint(ParameterException e) {
        String message = inPlainWords(Complaint.of(e)) + suggestion(e);
        return message + (message.contains("--help")
                ? ""
                : " (see " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help)");
    }

    /** What picocli says, without the types of Java. */
    private static String inPlainWords(String message) {
        return message.replaceFirst("^Error: ", "")
                .replaceFirst("^Unmatched arguments? (?:at|from) index \\d+: ", "unexpected argument ")
                .replaceFirst(" is not an? (?:int|long)$", " is not a whole number, or is too large")
                .replaceFirst(" is not a (?:float|double)$", " is not a number");
    }

    private static String suggestion(ParameterException e) {
        List<String> similar = e instanceof UnmatchedArgumentException unmatched ? unmatched.getSuggestions()
                : List.of();
        return similar.isEmpty() ? "" : "; did you mean " + String.join(" or ", similar) + "?";
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements IVersionProvider {
        static String ofBuild() {
            String version = Verbena.class.getPackage().getImplementationVersion();
            return version == null ? "(unpackaged)" : version;
        }

        @Override
        public String[] getVersion() {
            return new String[]{"verbena " + ofBuild(),
                    "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " "
                            + System.getProperty("os.arch")};
        }
    }
}
