package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.List;

import org.junit.jupiter.api.Test;

/** The contract holds whatever a fabric does that it may do. */
class ContractSeedsTest {
    private static final int SEEDS = 8;

    @Test
    void theContractHoldsWithManySeeds() {
        List<Method> tests = ContractRun.tests();
        assertTrue(tests.size() > 80, "tests of the contract: " + tests.size());
        for (long seed = 1; seed <= SEEDS; seed++) {
            for (Method test : tests) {
                ContractRun.run(test, new Simulation(seed, FaultPlan.harmless(seed)));
            }
        }
    }
}
