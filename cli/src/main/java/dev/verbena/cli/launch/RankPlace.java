package dev.verbena.cli.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Where a rank runs: on this host, or on one to which a command such as ssh leads.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
sealed interface RankPlace permits RankPlace.Here, SshPlace {
    /** Between SIGTERM and SIGKILL, in tenths of a second. */
    int GRACE = 50;

    /** This host. */
    record Here() implements RankPlace {
        @Override
        public ProcessBuilder prepare(List<String> command, Map<String, String> variables) {
            ProcessBuilder builder = new ProcessBuilder(shell("", command));
            builder.environment().putAll(variables);
            return builder;
        }

        @Override
        public void told(Process process) {
            // The shell listens, and what it has started is ended or killed.
        }

        @Override
        public String describe() {
            return "";
        }

        @Override
        public String hint(int status) {
            return "";
        }
    }

    /** What is started here, by which the command is started there. */
    ProcessBuilder prepare(List<String> command, Map<String, String> variables);

    /** That process has been told to end. */
    void told(Process process);

    /** Behind a rank, in messages. */
    String describe();

    /** What that status says of the way there; empty if it is the command's. */
    String hint(int status);

    /**
     * The command with a shell around it, which ends it and all that it has started when it reads a line, or the end of its standard input.
     *
     * @param prelude what the shell does before
     */
    static List<String> shell(String prelude, List<String> command) {
        List<String> shell = new ArrayList<>(
                List.of("bash", "-c", "grace=" + GRACE + "\n" + prelude + script(), "verbena launch"));
        shell.addAll(command);
        return shell;
    }

    private static String script() {
        try (InputStream script = RankPlace.class.getResourceAsStream("rank.bash")) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
