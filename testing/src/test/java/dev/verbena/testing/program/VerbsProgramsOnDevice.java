package dev.verbena.testing.program;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that do at random what devices can do, over a real RDMA device. */
@Timeout(600)
class VerbsProgramsOnDevice {
    private static final String PROPERTY = "verbena.programs.seeds";
    /** Few, since in an emulated machine a JVM that opens an RDMA device takes half a minute: two processes, of which one gives up, or is killed. */
    private static final long[] SEEDS = {2, 4, 8};
    /** Two or three JVMs start at once there. */
    private static final Duration TIMEOUT = Duration.ofSeconds(400);

    @Test
    void whatIsOfferedArrivesOrBothSidesHearWhyNot() throws Exception {
        int count = Integer.getInteger(PROPERTY, SEEDS.length);
        try (Leader leader = new Leader("verbs", TIMEOUT)) {
            for (int i = 0; i < count; i++) {
                leader.run(i < SEEDS.length ? SEEDS[i] : SEEDS[SEEDS.length - 1] + 1 + i - SEEDS.length);
            }
            assertTrue(leader.tensors() > 10 * count, "tensors=" + leader.tensors());
            assertTrue(leader.collectives() > 2 * count, "collectives=" + leader.collectives());
            assertTrue(leader.disturbances() > 0, "disturbances=" + leader.disturbances());
        }
    }
}
