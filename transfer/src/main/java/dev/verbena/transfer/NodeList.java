package dev.verbena.transfer;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Slurm's lists of hosts, as {@code login,gpu[003-007,11]-ib}: names with sets of numbers in brackets, whose leading zeros count
 * (scontrol(1), "show hostlist").
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
final class NodeList {
    /** The first name, with what may stand for several in brackets. */
    private static final Pattern FIRST = Pattern.compile("((?:[^,\\[\\]\\s]|\\[[0-9,-]+\\])+)(?:,.*)?");
    /** Of a bracket, its first number. */
    private static final Pattern BRACKET = Pattern.compile("\\[([0-9]+)[0-9,-]*\\]");

    private NodeList() {}

    /**
     * The first host, on which Slurm starts rank 0.
     *
     * @param variable that has the list, for the message
     */
    static String first(String variable, String list) {
        Matcher first = FIRST.matcher(list);
        if (first.matches()) {
            String host = BRACKET.matcher(first.group(1)).replaceAll("$1");
            if (host.indexOf('[') < 0) {
                return host;
            }
        }
        throw new IllegalArgumentException("environment variable " + variable + "=" + list
                + " is no list of hosts, such as node[01-16]; set " + LauncherVariables.ADDRESS + " instead");
    }
}
