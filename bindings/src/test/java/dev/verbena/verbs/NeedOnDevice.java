package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

/** What each software driver is known to have is what asking it finds: nothing more is tested there, and nothing less. */
class NeedOnDevice {
    @Test
    void theNeedsThatTheDeviceMeets() {
        Set<Need> met = EnumSet.allOf(Need.class);
        met.removeIf(need -> !TestDevice.has(need));
        switch (TestDevice.driver()) {
            case SOFT_ROCE -> assertEquals(EnumSet.complementOf(EnumSet.of(Need.IWARP)), met);
            case SOFT_IWARP -> assertEquals(EnumSet.of(Need.SHARED_RECEIVE_QUEUES, Need.IWARP), met);
            case ANOTHER -> assertFalse(met.contains(Need.SOFT_ROCE));
        }
    }

    @Test
    void whatItLacksIsSaidByName() {
        assertEquals("", TestDevice.lacking());
        Need lacking = TestDevice.has(Need.IWARP) ? Need.SOFT_ROCE : Need.IWARP;
        String said = TestDevice.lacking(lacking);
        assertTrue(said.contains("device=" + TestDevice.name()) && said.contains(lacking.toString()), said);
    }
}
