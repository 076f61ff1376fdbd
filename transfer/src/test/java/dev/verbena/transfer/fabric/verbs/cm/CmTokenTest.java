package dev.verbena.transfer.fabric.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.security.SecureRandom;
import java.util.Arrays;

import org.junit.jupiter.api.Test;

class CmTokenTest {
    private final SecureRandom random = new SecureRandom();

    @Test
    void whatIsShownIsReadAlsoWherePaddingFollows() {
        CmToken token = CmToken.random(random);
        byte[] shown = token.privateData(7);
        assertEquals(new CmToken.Target(token, 7), CmToken.read(shown));
        // What arrives over InfiniBand is as long as the message has room.
        assertEquals(new CmToken.Target(token, 7), CmToken.read(Arrays.copyOf(shown, 92)));
    }

    @Test
    void whoSaysTooLittleIsNobody() {
        assertNull(CmToken.read(new byte[0]));
        assertNull(CmToken.read(Arrays.copyOf(CmToken.random(random).privateData(0), 19)));
    }

    @Test
    void tokensDifferAndAreNotPrinted() {
        CmToken token = new CmToken(0x1234_5678_9abc_def0L, 42);
        assertNotEquals(CmToken.random(random), CmToken.random(random));
        assertNotEquals(CmToken.NONE, CmToken.random(random));
        assertFalse(token.toString().contains("42") || token.toString().contains(Long.toString(token.high())));
    }
}
