package dev.verbena.verbs;

import dev.verbena.verbs.ffi.Errno;

/**
 * A verb failed; the message says which, on what, with which errno, and what to do where that is known.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The C function that failed, {@code ibv_reg_mr} for instance. */
    private final String verb;
    /** As errno(3) of the C library has it on this machine, positive. */
    private final int errno;

    /** On is {@code name=value}; the remedy may be null, then errno's own is used if there is one. */
    public VerbsException(String verb, String on, int errno, String remedy) {
        super(message(verb, on, errno, remedy));
        this.verb = verb;
        this.errno = errno;
    }

    private static String message(String verb, String on, int errno, String remedy) {
        String advice = remedy == null ? Errno.remedy(errno) : remedy;
        return verb + " failed: " + on + ", " + Errno.describe(errno) + (advice == null ? "." : ": " + advice + ".");
    }

    /** The C function. */
    public String verb() {
        return verb;
    }

    /** The errno of the C library, positive. */
    public int errno() {
        return errno;
    }
}
