package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/**
 * Whatever devices do at random and whatever happens to them: a tensor that was offered arrives once, in order and intact, or both sides
 * hear why not; all that was begun ends, once; nothing stays; and a fresh connection works.
 */
class EngineSimulationTest {
    private static final String PROPERTY = "verbena.simulation.seeds";
    private static final long SEEDS = Long.getLong(PROPERTY, 1_000);

    @Test
    void whatIsOfferedArrivesOrBothSidesHearWhyNot() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            DeviceProgram.run(seed);
        }
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 20; seed++) {
            assertEquals(DeviceProgram.run(seed),
                    DeviceProgram.run(seed, FaultPlan.parse(DeviceProgram.plan(seed).toString())), "seed " + seed);
        }
    }
}
