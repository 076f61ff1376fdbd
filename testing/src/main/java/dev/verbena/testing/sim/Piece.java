package dev.verbena.testing.sim;

/** The bytes of a message from {@code begin} to before {@code end}, which land at once. */
record Piece(long begin, long end) {}
