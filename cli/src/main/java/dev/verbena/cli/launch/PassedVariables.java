package dev.verbena.cli.launch;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.verbena.cli.BadInputException;
import picocli.CommandLine.Option;

/**
 * The option {@code --env}: variables for all processes, beside those of the launch.
 *
 * <p><b>Owner:</b> {@link LaunchCommand}. <b>Threading:</b> confined to the thread that runs it.
 */
final class PassedVariables {
    private static final Pattern VARIABLE = Pattern.compile("([A-Za-z_]\\w*)(?:=(.*))?", Pattern.DOTALL);

    @Option(names = "--env", paramLabel = "NAME=VALUE",
            description = "A variable for all processes; NAME alone gives it this one's value. On --hosts they have no others of"
                    + " this host.")
    private List<String> given = List.of();

    /** By name. */
    Map<String, String> values() {
        Map<String, String> values = new TreeMap<>();
        given.forEach(variable -> add(variable, values));
        return values;
    }

    private static void add(String variable, Map<String, String> values) {
        Matcher parts = VARIABLE.matcher(variable);
        if (!parts.matches()) {
            throw new BadInputException("--env=" + variable + " names no variable; give NAME or NAME=VALUE");
        }
        String value = parts.group(2) == null ? System.getenv(parts.group(1)) : parts.group(2);
        if (value == null) {
            throw new BadInputException("--env=" + variable + ", but " + variable
                    + " is not set here; set it, or give " + variable + "=VALUE");
        }
        values.put(parts.group(1), value);
    }
}
