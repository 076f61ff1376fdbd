package dev.verbena.cli;

import picocli.CommandLine.Help.Ansi;

/**
 * When text is coloured.
 *
 * <p>Owner: none. Threading: immutable.
 */
enum ColorChoice {
    /** On a terminal, unless the environment asks otherwise: {@code NO_COLOR}, {@code CLICOLOR}, {@code CLICOLOR_FORCE}. */
    AUTO(Ansi.AUTO),
    /** Whatever it is printed to. */
    ALWAYS(Ansi.ON),
    /** Nowhere. */
    NEVER(Ansi.OFF);

    private final Ansi ansi;

    ColorChoice(Ansi ansi) {
        this.ansi = ansi;
    }

    Ansi ansi() {
        return ansi;
    }
}
