package dev.verbena.cli;

import java.util.LinkedHashMap;
import java.util.Map;

import picocli.CommandLine;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * What the help of all commands has alike: how they end, and a heading above what else there is to know. Where a command's own
 * {@code exitCodeList} says a status, that goes before what is said of it here.
 *
 * <p>Owner: none. Threading: stateless.
 */
final class CommonHelp implements IModelTransformer {
    /** Of a JVM that SIGINT ends. */
    private static final int INTERRUPTED = 130;

    @Override
    public CommandSpec transform(CommandSpec command) {
        addTo(command.usageMessage());
        command.subcommands().values().stream().map(CommandLine::getCommandSpec).forEach(this::transform);
        return command;
    }

    private static void addTo(UsageMessageSpec help) {
        Map<String, String> statuses = statuses();
        statuses.putAll(help.exitCodeList());
        help.exitCodeListHeading("%nExit status:%n").exitCodeList(statuses);
        if (help.footer().length > 0) {
            help.footerHeading("%nNotes:%n");
        }
    }

    private static Map<String, String> statuses() {
        Map<String, String> statuses = new LinkedHashMap<>();
        statuses.put(Integer.toString(ExitStatus.SUCCESS), "Done.");
        statuses.put(Integer.toString(ExitStatus.FAILED), "Failed on the way.");
        statuses.put(Integer.toString(ExitStatus.BAD_INPUT), "Bad input: nothing was started.");
        statuses.put(Integer.toString(INTERRUPTED), "Interrupted by Ctrl-C.");
        return statuses;
    }
}
