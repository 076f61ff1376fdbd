package dev.verbena.benchmarks.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.verbena.cli.launch.SshWords;

/**
 * Where an end runs: on this host, or on one to which a command such as ssh leads, in a folder of this one's name, by programs in the same places.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param name that others reach it by, with or without a user before it
 * @param ssh takes the name and a line for a shell there; empty on this host
 */
record EndHost(String name, List<String> ssh) {
    static final EndHost HERE = new EndHost("127.0.0.1", List.of());

    /** Of the line that follows, which has a class path and is longer than some servers of ssh take. */
    private static final String READ_LINE = "sh -c 'IFS= read -r line && eval \"$line\"'";
    /** What says how devices use their network goes with the end. */
    private static final Pattern PASSED = Pattern.compile("(RDMA|VERBENA)_[A-Z0-9_]+");

    /** @throws IllegalArgumentException if that is no name of a host */
    static EndHost of(String name, List<String> ssh) {
        if (!SshWords.isHost(name)) {
            throw new IllegalArgumentException("'" + name + "' is no host: give two names, as in --hosts=a,b");
        }
        return new EndHost(name, ssh);
    }

    boolean isHere() {
        return ssh.isEmpty();
    }

    /** Where an end there listens. */
    String address() {
        return SshWords.addressOf(name);
    }

    /** What it says of errors is seen here. */
    Process start(List<String> command, Map<String, String> variables) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(isHere() ? command : way())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        if (isHere()) {
            builder.environment().putAll(variables);
            return builder.start();
        }
        Process process = builder.start();
        process.getOutputStream().write(line(command, variables).getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        return process;
    }

    private List<String> way() {
        List<String> words = new ArrayList<>(ssh);
        words.add(name);
        words.add(READ_LINE);
        return words;
    }

    private static String line(List<String> command, Map<String, String> variables) {
        Map<String, String> all = new TreeMap<>(System.getenv());
        all.keySet().removeIf(variable -> !PASSED.matcher(variable).matches());
        all.putAll(variables);
        Stream<String> assignments = all.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue());
        return "cd " + SshWords.quote(System.getProperty("user.dir")) + " && exec env "
                + Stream.concat(assignments, command.stream()).map(SshWords::quote).collect(Collectors.joining(" "))
                + "\n";
    }
}
