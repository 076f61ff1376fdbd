package dev.verbena.cli.doctor;

import java.util.Locale;

/**
 * How bad a finding is.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Status {
    /** As it should be. */
    OK,
    /** It works, or need not: less well, or not everything. */
    WARNING,
    /** Something that is meant to work does not. */
    PROBLEM;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
