package dev.verbena.transfer.protocol;

import static dev.verbena.transfer.ArrivalMode.AUTO;
import static dev.verbena.transfer.ArrivalMode.IMMEDIATE;
import static dev.verbena.transfer.ArrivalMode.TAIL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.ArrivalMode;

/** The tail is trusted on evidence of both ends, and on nothing else. */
class ArrivalChoiceTest {
    @Test
    void theTailNeedsBothEnds() {
        ArrivalChoice choice = new ArrivalChoice(AUTO, "verbs", false);
        assertEquals(AUTO, choice.beforehand());
        assertEquals(TAIL, choice.between(true, true));
        assertEquals(IMMEDIATE, choice.between(true, false));
        assertEquals(IMMEDIATE, choice.between(false, true));
        assertEquals(IMMEDIATE, choice.between(false, false));
    }

    @Test
    void aFabricWhereAllIsInOrderIsKnownBeforehand() {
        ArrivalChoice choice = new ArrivalChoice(AUTO, "shm", true);
        assertEquals(TAIL, choice.beforehand());
        assertEquals("tail: fabric shm writes in order", choice.reason(TAIL));
    }

    @Test
    void whatIsConfiguredIsDone() {
        ArrivalChoice choice = new ArrivalChoice(IMMEDIATE, "shm", true);
        assertEquals(IMMEDIATE, choice.beforehand());
        assertEquals(IMMEDIATE, choice.between(true, true));
        assertEquals("immediate: as configured", choice.reason(IMMEDIATE));
        assertEquals(TAIL, new ArrivalChoice(TAIL, "shm", true).between(true, true));
    }

    @Test
    void aTailThatNobodyPromisesIsRefused() {
        String message = assertThrows(IllegalArgumentException.class, () -> new ArrivalChoice(TAIL, "verbs", false))
                .getMessage();
        assertTrue(message.contains("fabric verbs does not promise; use AUTO"), message);
    }

    @Test
    void eachReasonSaysWhatWasChosen() {
        ArrivalChoice choice = new ArrivalChoice(AUTO, "verbs", false);
        assertTrue(choice.reason(TAIL).startsWith("tail: both ends"));
        assertTrue(choice.reason(IMMEDIATE).startsWith("immediate: fabric verbs"));
        for (ArrivalMode mode : ArrivalMode.values()) {
            assertTrue(choice.reason(mode).contains(": "), mode.toString());
        }
    }
}
