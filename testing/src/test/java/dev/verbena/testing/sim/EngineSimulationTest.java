package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever devices do at random and whatever happens to them: a tensor that was offered arrives once, in order and intact, or both sides
 * hear why not; all that was begun ends, once; nothing stays; and a fresh connection works.
 */
class EngineSimulationTest {
    private static final String PROPERTY = "verbena.simulation.seeds";
    private static final long SEEDS = Long.getLong(PROPERTY, 1_000);
    /** What programs do, beside what plans let happen. */
    private static final List<String> DONE = List.of("receivers", "late receivers", "late peers", "slow consumers",
            "striping devices", "devices without stripes",
            "streams STATIC", "streams DYNAMIC", "streams EXCHANGE", "tensors", "calls", "copies", "closed senders",
            "closed receivers", "closed devices",
            "aborts", "losses",
            "errors of a sender", "errors of a call", "failed copies");

    @Test
    void whatIsOfferedArrivesOrBothSidesHearWhyNot() {
        Tally tally = new Tally();
        for (long seed = 1; seed <= SEEDS; seed++) {
            DeviceProgram.run(seed, DeviceProgram.plan(seed), tally);
        }
        assertEquals(List.of(), tally.missing(DONE),
                () -> "it all shall have happened in seeds=" + SEEDS + ": " + tally);
    }

    /** 1951: the last acknowledgement was lost with the connection, over which the goodbye that was there already was heard nevertheless. */
    @ParameterizedTest
    @ValueSource(longs = 1951)
    void seedsThatFoundADefectFindItNoMore(long seed) {
        DeviceProgram.run(seed, DeviceProgram.plan(seed), new Tally());
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 20; seed++) {
            assertEquals(DeviceProgram.run(seed),
                    DeviceProgram.run(seed, FaultPlan.parse(DeviceProgram.plan(seed).toString()), new Tally()),
                    "seed " + seed);
        }
    }
}
