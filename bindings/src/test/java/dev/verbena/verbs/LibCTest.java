package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LibCTest {
    @Test
    void aSignalIsReadableUntilItIsDrained() {
        int eventfd = LibC.eventfd();
        int other = LibC.eventfd();
        try {
            assertFalse(LibC.awaitReadable(eventfd, other, 0));
            LibC.signal(eventfd);
            LibC.signal(eventfd);
            assertTrue(LibC.awaitReadable(eventfd, other, 0));
            LibC.drain(eventfd);
            assertFalse(LibC.awaitReadable(eventfd, other, 0));
        } finally {
            LibC.close(eventfd);
            LibC.close(other);
        }
    }
}
