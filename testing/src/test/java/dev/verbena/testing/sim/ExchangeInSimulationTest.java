package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tensors by name and step, in a simulation: what is asked for comes, whole, once, whatever a fabric may do and whoever fails; and wrong exchanges are found. */
class ExchangeInSimulationTest {
    private static final int MUTANT_SEEDS = 200;
    private static final long SEEDS = Long.getLong("verbena.simulation.seeds", 1_000);

    private enum Wrong {
        TELLS_NO_SHAPE_THAT_HAS_CHANGED("malformed entry of an exchange: byteSize",
                "exchange/AdaptiveExchangeSender.java",
                "return type == send.type && send.shape.equals(shape);", "return type != null;"),
        FORGETS_WHO_ASKED_BEFORE_IT_CAME("is not settled", "exchange/AdaptiveExchangeReceiver.java",
                "            if (arrival == null) {\n                receives.add(receive);",
                "            if (arrival == null) {"),
        HANDS_A_CHUNK_ON_WHEN_IT_IS_ASKED_FOR("that has not landed", "exchange/TensorRead.java",
                "            EngineQueuePair over = queuePairs.get(index % stripes);",
                "            owner.onLanded(arrival, byteOffset, byteSize);\n"
                        + "            EngineQueuePair over = queuePairs.get(index % stripes);"),
        HANDS_A_CHUNK_ON_BEFORE_THOSE_IN_FRONT_OF_IT("has a chunk of .* at \\d+ not \\d+", "exchange/TensorRead.java",
                "                hasLanded = true;\n                handOn();",
                "                owner.onLanded(arrival, byteOffset, byteSize);\n                postNext(false);"),
        SKIPS_A_STRIPE("is damaged|element|that has not landed", "exchange/TensorRead.java",
                "            EngineQueuePair over = queuePairs.get(index % stripes);",
                "            if (index % stripes > 0) {\n                onEnded(null);\n                return;\n            }\n"
                        + "            EngineQueuePair over = queuePairs.get(index % stripes);"),
        SENDS_THE_LATEST_FIRST("step \\d+ (is|has|element)|failed .* step=\\d+: .* step \\d+",
                "exchange/AdaptiveExchangeSender.java",
                "        waiting.add(send);", "        waiting.addFirst(send);"),
        TAKES_THE_WORD_OF_THE_ROUND_BEFORE("is damaged|element|that has not landed",
                "exchange/AdaptiveExchangeSender.java",
                "if (value == ExchangeEntry.releaseWord(rounds[word], ExchangeEntry.READ)) {", "if (value != 0) {"),
        TAKES_BACK_WHAT_MAY_BE_BEING_READ("is damaged|element|that has not landed|is not settled",
                "exchange/AdaptiveExchangeSender.java",
                "                send.isWithdrawn = true;\n                withdrawals.add(send);",
                "                release(i--, WITHDRAWN);"),
        TAKES_A_DEAD_TENSOR_FOR_DATA("step \\d+ is TENSOR", "exchange/ExchangeReceive.java",
                "case DEAD -> ExchangeContent.DEAD;", "case DEAD -> ExchangeContent.TENSOR;"),
        KEEPS_THE_SHAPE_THAT_A_NAME_HAD_FIRST("malformed entry of an exchange: byteSize|has shape",
                "exchange/ExchangeNames.java", "            this.shape = shape;",
                "            this.shape = this.shape == null ? shape : this.shape;"),
        CALLS_TWO_NAMES_BY_ONE_ID("nameId=\\d is told twice", "exchange/AdaptiveExchangeSender.java",
                "new Told(names.size());", "new Told(names.size() / 2);"),
        TAKES_ONE_STEP_FOR_ANOTHER("step \\d+ (is|has|element)|that has not landed|has a chunk|heard of",
                "exchange/MatchTable.java",
                "            return name.hashCode() * 31 + Long.hashCode(step);\n        }\n\n        @Override\n"
                        + "        public final boolean equals(Object other) {\n            return other instanceof Entry entry && entry.step == step && ",
                "            return name.hashCode();\n        }\n\n        @Override\n"
                        + "        public final boolean equals(Object other) {\n            return other instanceof Entry entry && "),
        FORGETS_WHO_ASKED_FOR_WHAT_IS_WITHDRAWN("is not settled", "exchange/AdaptiveExchangeReceiver.java",
                "                each.unstall();\n                receives.add(each);",
                "                each.unstall();"),
        LOSES_WHAT_IS_TO_BE_ASKED_FOR_AGAIN("is not settled", "exchange/AdaptiveExchangeReceiver.java",
                "                arrivals.add(receive.arrival());\n", ""),
        HANDS_ON_WHAT_IS_DAMAGED("step \\d+ element", "exchange/AdaptiveExchangeReceiver.java",
                "            if (sum != arrival.checksum) {", "            if (sum != arrival.checksum && sum < 0) {"),
        RELEASES_NOTHING("is not settled", "exchange/TensorRead.java", "            release.post(ExchangeEntry.READ);",
                "            becomeIdle();");

        private final Pattern reason;
        private final Mutant mutant;

        Wrong(String reason, String file, String right, String wrong) {
            this.reason = Pattern.compile(reason);
            mutant = new Mutant(file, right, wrong);
        }
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void isFound(Wrong wrong) throws Throwable {
        Mutant.Program program = wrong.mutant.program(ExchangeProgram.class);
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
