package dev.verbena.testing.program;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that do at random what devices can do, over shared memory. */
@Timeout(600)
class ShmProgramsTest {
    private static final String PROPERTY = "verbena.programs.seeds";
    private static final long SEEDS = Long.getLong(PROPERTY, 20);
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    @Test
    void whatIsOfferedArrivesOrBothSidesHearWhyNot() throws Exception {
        try (Leader leader = new Leader("shm", TIMEOUT)) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                leader.run(seed);
            }
            assertTrue(leader.tensors() > 10 * SEEDS, "tensors=" + leader.tensors());
            assertTrue(leader.collectives() > 5 * SEEDS, "collectives=" + leader.collectives());
            assertTrue(leader.disturbances() > SEEDS / 10, "disturbances=" + leader.disturbances());
        }
    }
}
