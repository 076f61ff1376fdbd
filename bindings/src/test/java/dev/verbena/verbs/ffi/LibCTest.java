package dev.verbena.verbs.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.Test;

class LibCTest {
    @Test
    void aSignalIsReadableUntilItIsDrained() {
        int eventfd = LibC.eventfd();
        int other = LibC.eventfd();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment both = LibC.readable(arena, eventfd, other);
            assertEquals(0, LibC.poll(both, 0));
            LibC.signal(eventfd);
            LibC.signal(eventfd);
            assertEquals(1, LibC.poll(both, 0));
            LibC.drain(eventfd);
            assertEquals(0, LibC.poll(both, 0));
        } finally {
            LibC.close(eventfd);
            LibC.close(other);
        }
    }
}
