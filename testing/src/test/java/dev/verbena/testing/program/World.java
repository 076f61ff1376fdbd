package dev.verbena.testing.program;

import java.util.Random;

/**
 * What the parts of a program live in: a simulation, or a real process.
 *
 * <p><b>Owner:</b> the program. <b>Threading:</b> thread-safe; random numbers are drawn by the program's thread alone.
 */
public interface World {
    /** The clock by which consumers are slow. */
    long nowNs();

    /** What the program leaves to chance. */
    Random random();

    /** Something is wrong. */
    void violate(String what);

    /** Whether there is always memory to register. */
    boolean isMemorySure();
}
