package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

/** A tail that is seen says that the tensor is there only where writes land in order: it is chosen there, and nowhere else. */
class ArrivalEvidenceTest {
    private static final long SEEDS = Long.getLong("verbena.simulation.seeds", 1_000);
    private static final int MUTANT_SEEDS = 300;
    private static final String TAIL_IN_ANY_ORDER = "TAIL in any order";
    private static final List<String> MODES = List.of("TAIL in order", "IMMEDIATE in any order", TAIL_IN_ANY_ORDER);

    /** Whatever lands when. */
    @Test
    void whatTheAutomaticChoiceSeesIsWhole() {
        Tally tally = new Tally();
        for (long seed = 1; seed <= SEEDS; seed++) {
            ArrivalProgram.run(seed, tally);
        }
        List<String> missing = tally.missing(MODES);
        assertEquals(List.of(TAIL_IN_ANY_ORDER), MODES.stream().filter(missing::contains).toList(), tally::toString);
        assertFalse(missing.contains(Fault.RELAXED_ORDER.text()), tally::toString);
    }

    /** The same, with the tail trusted everywhere: it is seen before the tensor where writes are torn, and only there. */
    @Test
    void aTailIsSeenTooEarlyWhereWritesAreTorn() throws Throwable {
        Mutant.Program trusting = new Mutant("protocol/ArrivalChoice.java",
                "        boolean isInOrder = isSenderInOrder && isReceiverInOrder;",
                "        boolean isInOrder = true;").program(ArrivalProgram.class);
        int torn = 0;
        for (long seed = 1; seed <= MUTANT_SEEDS; seed++) {
            try {
                trusting.run(seed);
            } catch (AssertionError e) {
                String found = e.getMessage().lines().findFirst().orElse("");
                assertTrue(found.contains("as it is seen: element"), found);
                assertFalse(ArrivalProgram.isInOrder(seed), "writes are in order, seed=" + seed + ": " + found);
                torn++;
            }
        }
        assertTrue(torn > MUTANT_SEEDS / 4, "torn=" + torn);
    }
}
