package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever happens to the members of a group: all have the same result, to the bit, or all that live hear why not; and wrong groups are found. */
class GroupSimulationTest {
    private static final long SEEDS = Long.getLong("verbena.simulation.seeds", 200);
    private static final int MUTANT_SEEDS = 100;
    private static final List<String> DONE = List.of("reduce", "broadcast", "gather", "barrier", "done", "failures");

    private enum Wrong {
        SUMS_FROM_ITS_OWN_RANK_ON("wrong element", "group/Exchange.java", "            int from = next;",
                "            int from = (group.rank() + next) % group.size();"),
        HANDS_ON_WHAT_IT_HAS_NOT_TAKEN("wrong element", "group/Ring.java", "sending.step > 0 && ",
                "sending.step > 99 && "),
        ADDS_WHAT_IS_IN_NO_SLOT("wrong element", "group/Ring.java", "        if (lefts.isInPlace()) {",
                "        if (false) {"),
        ADDS_FROM_THE_REGIONS_BEGIN("wrong element", "group/Ring.java", "left.mappedOffset() + byteOffset",
                "byteOffset"),
        WRITES_OVER_WHAT_IS_NOT_SENT_YET("wrong element", "group/Ring.java", "return step >= group.size() - 1;",
                "return step >= group.size() - 2;"),
        COPIES_FROM_A_SLOT_WHAT_IS_IN_ITS_PLACE("wrong element", "group/Ring.java", "if (!own.isOpen()) {",
                "if (own.isOpen()) {"),
        DIVIDES_AT_EVERY_MEMBER("wrong element", "group/Ring.java", "if (taking.step == group.size() - 2) {",
                "if (taking.step <= group.size() - 2) {"),
        REDUCES_A_TORN_CHUNK("wrong element|offers ", "protocol/ArrivalChoice.java",
                "        boolean isInOrder = isSenderInOrder && isReceiverInOrder;",
                "        boolean isInOrder = true;"),
        /** Of a chunk that is not sent the slot has the arrival alone: written over, that is lost. */
        REUSES_A_SLOT_THAT_IS_READ("wrong element|offers |slot that is in use|is not done after",
                "protocol/StaticPlacementSender.java",
                "return sent - acknowledgedSeen < layout.depth() && ",
                "return sent - acknowledgedSeen <= layout.depth() && ");

        private final Pattern reason;
        private final Mutant mutant;

        Wrong(String reason, String file, String right, String wrong) {
            this.reason = Pattern.compile(reason);
            mutant = new Mutant(file, right, wrong);
        }
    }

    @Test
    void allHaveTheSameResultOrHearWhyNot() {
        Tally tally = new Tally();
        for (long seed = 1; seed <= SEEDS; seed++) {
            GroupProgram.run(seed, tally);
        }
        assertEquals(List.of(), DONE.stream().filter(tally.missing(DONE)::contains).toList(), tally::toString);
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 10; seed++) {
            assertEquals(GroupProgram.run(seed), GroupProgram.run(seed), "seed " + seed);
        }
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void isFound(Wrong wrong) throws Throwable {
        Mutant.Program program = wrong.mutant.program(GroupProgram.class);
        for (long seed = 1; seed <= MUTANT_SEEDS; seed++) {
            try {
                program.run(seed);
            } catch (AssertionError e) {
                String found = e.getMessage().lines().findFirst().orElse("");
                if (!wrong.reason.matcher(found).find()) {
                    fail(wrong + " was found, seed=" + seed + ", but not by '" + wrong.reason + "': " + found, e);
                }
                return;
            }
        }
        fail(wrong + " was not found");
    }
}
