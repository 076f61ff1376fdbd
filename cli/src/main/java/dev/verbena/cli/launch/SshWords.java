package dev.verbena.cli.launch;

import java.util.regex.Pattern;

/**
 * Words of a command that goes to another host by ssh, whose login shell gets one line.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
public final class SshWords {
    /** Names and addresses, with or without a user; never an option of ssh. */
    private static final Pattern HOST = Pattern.compile("[\\w.@:%][\\w.@:%-]*");

    private SshWords() {}

    /** Whether it can be the name of a host, with or without a user before it. */
    public static boolean isHost(String name) {
        return HOST.matcher(name).matches();
    }

    /** Without the user. */
    public static String addressOf(String host) {
        return host.substring(host.lastIndexOf('@') + 1);
    }

    /** As one word of a shell, whatever is in it. */
    public static String quote(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
