package dev.verbena.cli;

/**
 * How the command ends. Ctrl-C adds the JVM's own 130.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ExitStatus {
    public static final int SUCCESS = 0;
    /** It started and could not be finished; which task failed and why has been printed. */
    public static final int FAILED = 1;
    /** It was not started: bad options, data or surroundings; nothing is left behind. */
    public static final int BAD_INPUT = 2;

    private ExitStatus() {}
}
