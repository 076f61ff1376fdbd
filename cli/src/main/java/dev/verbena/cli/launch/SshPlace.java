package dev.verbena.cli.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Another host. Its login shell gets one line, so all in it is quoted for a shell. What ends a rank here ends it there: the connection is the standard
 * input of the shell around the command, and when it closes, whatever of, that shell reads its end.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param ssh a command that takes the host and the line
 */
record SshPlace(String host, List<String> ssh) implements RankPlace {
    /** What ssh ends with when it has not come to the host, or has lost it. */
    private static final int SSH_FAILED = 255;
    private static final int HEARD_SECONDS = GRACE / 10 + 2;
    /** Ctrl-C reaches this process too, which then ends the ranks in peace. */
    private static final String UNDISTURBED = "trap '' INT HUP; exec \"$@\"";
    /** That host's processors may be others than this one's. */
    private static final String SHARE_OF_THREADS = "[ -n \"$" + LaunchCommand.THREADS + "\" ] || export "
            + LaunchCommand.THREADS + "=$(n=$(nproc); echo $((n < LOCAL_WORLD_SIZE ? 1 : n / LOCAL_WORLD_SIZE)))\n";

    @Override
    public ProcessBuilder prepare(List<String> command, Map<String, String> variables) {
        List<String> words = new ArrayList<>(List.of("bash", "-c", UNDISTURBED, "verbena launch"));
        words.addAll(ssh);
        words.add(host);
        words.add(line(System.getProperty("user.dir"), command, variables));
        return new ProcessBuilder(words);
    }

    private static String line(String folder, List<String> command, Map<String, String> variables) {
        Stream<String> assignments = variables.entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue());
        return "cd " + SshWords.quote(folder) + " && exec env "
                + Stream.concat(assignments, RankPlace.shell(SHARE_OF_THREADS, command).stream()).map(SshWords::quote)
                        .collect(Collectors.joining(" "));
    }

    /** On the way to a host that does not answer, nobody has heard it. If the host is only slow, its end of the connection says the same there. */
    @Override
    public void told(Process process) {
        CompletableFuture.delayedExecutor(HEARD_SECONDS, TimeUnit.SECONDS).execute(process::destroy);
    }

    @Override
    public String describe() {
        return " on " + host;
    }

    @Override
    public String hint(int status) {
        return status == SSH_FAILED ? ": does '" + String.join(" ", ssh) + " " + host + " true' work?" : "";
    }
}
