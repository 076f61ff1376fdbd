package dev.verbena.testing.sim;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What happens once, at a time of a simulation.
 *
 * @param process whom it happens to: fabrics in the order in which they were opened, from 0; of no meaning to a jump of the clock
 * @param atNs virtual time
 * @param lengthNs how long it lasts, or how far the clock jumps
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Incident(Kind kind, int process, long atNs, long lengthNs) {
    /** What can happen. */
    public enum Kind {
        /** The process stands still, as in a long garbage collection: it polls nothing and hears nothing; its device works on. */
        PAUSE,
        /** The process dies. Its peers hear of that, itself does nothing any more. */
        KILL,
        /** Nothing reaches the process or comes from it; connections break on both sides. */
        CUT,
        /** All clocks go forward at once, as after a machine was suspended; what is under way does not. */
        JUMP
    }

    private static final Pattern TEXT = Pattern.compile("([a-z]+):(\\d+)@(\\d+)\\+(\\d+)");

    /** Throws {@link IllegalArgumentException} if the process, the time or the length is negative. */
    public Incident {
        if (process < 0 || atNs < 0 || lengthNs < 0) {
            throw new IllegalArgumentException("process=" + process + " atNs=" + atNs + " lengthNs=" + lengthNs
                    + " of an incident must not be negative");
        }
    }

    /** Reads {@code KIND:PROCESS@NS+NS}. */
    public static Incident parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("bad incident '" + text + "'; give KIND:PROCESS@NS+NS");
        }
        for (Kind kind : Kind.values()) {
            if (word(kind).equals(parts.group(1))) {
                return of(kind, parts);
            }
        }
        throw new IllegalArgumentException("bad incident '" + text + "'; there is no '" + parts.group(1) + "'");
    }

    private static Incident of(Kind kind, Matcher parts) {
        try {
            return new Incident(kind, Integer.parseInt(parts.group(2)), Long.parseLong(parts.group(3)),
                    Long.parseLong(parts.group(4)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("bad incident '" + parts.group() + "'; a process is at most "
                    + Integer.MAX_VALUE + ", a number of nanoseconds at most " + Long.MAX_VALUE, e);
        }
    }

    private static String word(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return word(kind) + ":" + process + "@" + atNs + "+" + lengthNs;
    }
}
