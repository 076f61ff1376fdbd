package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

class FaultPlanTest {
    @Test
    void whatAPlanSaysIsReadAsTheSamePlan() {
        Set<String> texts = new HashSet<>();
        Set<Fault> set = new HashSet<>();
        Set<Incident.Kind> kinds = new HashSet<>();
        for (long seed = 0; seed < 1000; seed++) {
            FaultPlan plan = FaultPlan.random(seed);
            assertEquals(plan, FaultPlan.parse(plan.toString()));
            texts.add(plan.toString());
            set.addAll(plan.settings().keySet());
            plan.incidents().forEach(incident -> kinds.add(incident.kind()));
        }
        assertEquals(1000, texts.size());
        assertEquals(Set.of(Fault.values()), set);
        assertEquals(Set.of(Incident.Kind.values()), kinds);
    }

    @Test
    void theLargestNumbersAreReadToo() {
        FaultPlan plan = FaultPlan.NONE
                .with(new Incident(Incident.Kind.CUT, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE));
        assertEquals(plan, FaultPlan.parse(plan.toString()));
    }

    @Test
    void theTextIsOneOfWords() {
        FaultPlan plan = FaultPlan.NONE.with(Fault.LATE_ONE_IN, 100).with(Fault.LATE_NS, 5_000)
                .with(new Incident(Incident.Kind.PAUSE, 1, 1_000_000, 5_000));
        assertEquals("late-one-in=100 late-ns=5000 pause:1@1000000+5000", plan.toString());
        assertEquals("none", FaultPlan.NONE.toString());
        assertEquals(FaultPlan.NONE, FaultPlan.parse("none"));
        assertEquals(FaultPlan.NONE, FaultPlan.parse(" "));
        assertEquals(plan, FaultPlan.parse("  pause:1@1000000+5000 late-ns=5000\n late-one-in=100"));
    }

    @Test
    void whatIsInitialIsNotSaid() {
        assertEquals("none", FaultPlan.NONE.with(Fault.LATE_NS, 7).with(Fault.LATE_NS, Fault.LATE_NS.initial())
                .toString());
        assertEquals(1_000_000, FaultPlan.NONE.get(Fault.LATE_NS));
        assertNotEquals(FaultPlan.NONE, FaultPlan.NONE.with(Fault.LATE_NS, 7));
    }

    @Test
    void wrongWordsAreRefused() {
        for (String text : new String[]{"late", "late=", "late-one-in", "late-one-in=1", "late-one-in=-1",
                "late-ns=x", "late-ns=1e3", "relaxed-order=3", "piece-count-max=0", "pause:1@5", "pause:-1@5+5",
                "sleep:1@5+5", "PAUSE:1@5+5", "late_ns=5", "none none", "pause:1@9999999999999999999+1",
                "pause:9999999999@1+1",
                "pause:1@1+99999999999999999999"}) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> FaultPlan.parse(text),
                    text);
            assertTrue(!e.getMessage().isBlank(), text);
        }
        assertThrows(IllegalArgumentException.class, () -> new Incident(Incident.Kind.CUT, -1, 0, 0));
    }
}
