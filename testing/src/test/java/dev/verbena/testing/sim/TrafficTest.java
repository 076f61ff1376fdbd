package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

/** All that users of a fabric can do, at random, on a fabric that does to them all that it may. */
class TrafficTest {
    private static final int SEEDS = 2_000;

    @Test
    void whatIsPromisedHoldsWhateverHappens() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Traffic.run(seed, FaultPlan.random(seed), new Conduct());
        }
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 50; seed++) {
            FaultPlan plan = FaultPlan.random(seed);
            long run = Traffic.run(seed, plan, new Conduct());
            assertEquals(run, Traffic.run(seed, FaultPlan.parse(plan.toString()), new Conduct()));
            assertNotEquals(run, Traffic.run(seed + 1, plan, new Conduct()));
        }
    }
}
