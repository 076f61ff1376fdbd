package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Tensors by name and step, in a simulation: what is asked for comes, whole, once, whatever a fabric may do and whoever fails. */
class ExchangeInSimulationTest {
    private static final long SEEDS = Math.min(1_000, Long.getLong("verbena.simulation.seeds", 300));

    @Test
    void whatIsAskedForComesOrBothSidesHearWhyNot() {
        Tally tally = new Tally();
        for (long seed = 1; seed <= SEEDS; seed++) {
            ExchangeProgram.run(seed, ExchangeProgram.plan(seed), tally);
        }
        assertTrue(tally.missing(ExchangeProgram.DONE).isEmpty(),
                () -> "it all shall have happened in seeds=" + SEEDS + ": " + tally);
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 10; seed++) {
            assertEquals(ExchangeProgram.run(seed, ExchangeProgram.plan(seed), new Tally()),
                    ExchangeProgram.run(seed, ExchangeProgram.plan(seed), new Tally()), "seed " + seed);
        }
    }
}
