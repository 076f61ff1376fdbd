package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;

class CommonHelpTest {
    private static final String HEADING = "\nExit status:\n";

    @ParameterizedTest
    @MethodSource("names")
    void everyCommandSaysHowItEnds(String name) {
        CommandLine command = commands(Verbena.commandLine()).filter(each -> name(each).equals(name)).findFirst()
                .orElseThrow();
        String statuses = statuses(command);
        List<String> keys = statuses.lines().takeWhile(line -> !line.isBlank()).map(String::strip)
                .filter(line -> line.matches("(?:\\d+|other) +\\S.*")).map(line -> line.split(" ")[0]).toList();
        assertEquals(List.of("0", "1", "2", "130"), keys.stream().filter(key -> !key.equals("other")).toList(),
                statuses);
        assertEquals(name.equals("verbena launch"), keys.contains("other"), statuses);
    }

    /** Also those that no help lists. */
    static List<String> names() {
        List<String> names = commands(Verbena.commandLine()).map(CommonHelpTest::name).toList();
        assertTrue(names.containsAll(List.of("verbena", "verbena train", "verbena perf tensor", "verbena infer-part",
                "verbena help")), names::toString);
        return names;
    }

    @Test
    void whatACommandSaysItselfGoesFirst() {
        CommandLine verbena = Verbena.commandLine();
        String doctor = statuses(verbena.getSubcommands().get("doctor"));
        assertTrue(
                doctor.matches("(?s) *0 +At least one fabric can be used\\.\n *1 +Every fabric .*\n *2 +Bad input.*"),
                doctor);
        assertTrue(statuses(verbena.getSubcommands().get("info")).matches("(?s) *0 +Done\\.\n.*"));
    }

    @Test
    void notesStandBelowTheirHeading() {
        CommandLine verbena = Verbena.commandLine();
        String help = verbena.getUsageMessage(Ansi.OFF);
        assertTrue(
                help.endsWith("\n\nNotes:\nIn the source tree also: test, bench, stress and docs, each with --help.\n"),
                help);
        String info = verbena.getSubcommands().get("info").getUsageMessage(Ansi.OFF);
        assertTrue(info.contains(HEADING) && !info.contains("Notes:"), info);
    }

    /** One vocabulary: an option that several commands have says the same in each. */
    @ParameterizedTest
    @ValueSource(strings = {"--json", "--fabric", "--rdma-device", "--driven-by", "--warm-up"})
    void whatCommandsShareTheyHaveAlike(String option) {
        List<OptionSpec> all = commands(Verbena.commandLine())
                .filter(each -> !each.getCommandSpec().usageMessage().hidden())
                .map(each -> each.getCommandSpec().findOption(option)).filter(Objects::nonNull).toList();
        assertTrue(all.size() > 1, () -> option + " of " + all.size());
        assertEquals(1,
                all.stream().map(each -> List.of(each.names()) + each.paramLabel() + each.arity()).distinct().count(),
                all::toString);
    }

    /** Also of what it may be given, by the shell. */
    @Test
    void wordsOfOptionsAreCompleted() {
        String script = AutoComplete.bash("verbena", Verbena.commandLine());
        for (String words : List.of("\"auto\" \"shm\" \"verbs\"", "\"zerocopy\" \"copy\" \"grpc\"",
                "\"polling\" \"events\"",
                "\"sgd\" \"momentum\" \"adam\"", "\"static\" \"dynamic\" \"exchange\"")) {
            assertTrue(script.contains(words), () -> words + " in " + script);
        }
    }

    private static Stream<CommandLine> commands(CommandLine command) {
        return Stream.concat(Stream.of(command),
                command.getSubcommands().values().stream().flatMap(CommonHelpTest::commands));
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName();
    }

    private static String statuses(CommandLine command) {
        String help = command.getUsageMessage(Ansi.OFF);
        assertTrue(help.contains(HEADING), help);
        return help.substring(help.indexOf(HEADING) + HEADING.length());
    }
}
