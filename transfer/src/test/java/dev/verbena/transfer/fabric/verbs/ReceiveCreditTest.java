package dev.verbena.transfer.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ReceiveCreditTest {
    private final ReceiveCredit credit = new ReceiveCredit();

    @Test
    void asManyMessagesMayGoAsReceivesArePosted() {
        assertFalse(credit.isAvailable());
        credit.hear(ReceiveCredit.word(2));
        assertEquals(0, credit.use());
        assertEquals(1, credit.use());
        assertFalse(credit.isAvailable());
        assertThrows(IllegalStateException.class, credit::use);
        credit.hear(ReceiveCredit.word(3));
        assertEquals(2, credit.use());
    }

    @Test
    void whatIsOldOrNotSaidYetTakesNothingBack() {
        credit.hear(ReceiveCredit.word(5));
        credit.hear(ReceiveCredit.word(4));
        credit.hear(0);
        for (int i = 0; i < 5; i++) {
            assertEquals(i, credit.use());
        }
        assertFalse(credit.isAvailable());
    }

    /** A word of which some bytes are from before 256 and some from after it would say 511. */
    @Test
    void aTornWordIsNoNews() {
        long before = ReceiveCredit.word(255);
        long after = ReceiveCredit.word(256);
        for (int bytes = 1; bytes < 8; bytes++) {
            long low = -1L >>> 64 - 8 * bytes;
            for (long torn : new long[]{before & low | after & ~low, after & low | before & ~low}) {
                ReceiveCredit fresh = new ReceiveCredit();
                fresh.hear(torn);
                assertTrue(!fresh.isAvailable() || torn == before || torn == after, Long.toHexString(torn));
            }
        }
    }

    @Test
    void theCountMayPassWhatThirtyTwoBitsHold() {
        long count = 0;
        while (count < 1L << 33) {
            count += 1L << 30;
            credit.hear(ReceiveCredit.word(count));
        }
        ReceiveCredit.word(count);
        assertEquals(0, credit.use());
        credit.hear(ReceiveCredit.word(count + 1));
        assertTrue(credit.isAvailable());
    }
}
