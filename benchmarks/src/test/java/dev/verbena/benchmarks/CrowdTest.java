package dev.verbena.benchmarks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.NoSuchElementException;

import org.junit.jupiter.api.Test;

/** How many threads there are, and what they are called. */
class CrowdTest {
    @Test
    void asManyAsThereAreProcessorsAndMany() {
        assertArrayEquals(new int[]{1, 16}, Crowd.sizes(1));
        assertArrayEquals(new int[]{1, 2, 16}, Crowd.sizes(2));
        assertArrayEquals(new int[]{1, 2, 4, 8, 12, 16}, Crowd.sizes(12));
        assertArrayEquals(new int[]{1, 2, 4, 8, 16}, Crowd.sizes(16));
        assertArrayEquals(new int[]{1, 2, 4, 8, 16, 24}, Crowd.sizes(24));
    }

    @Test
    void labelsAreReadAsTheyAreWritten() {
        for (Replacement replacement : Replacement.values()) {
            for (int threads : Crowd.sizes(24)) {
                Crowd crowd = new Crowd(replacement, threads);
                assertEquals(crowd, Crowd.labelled(crowd.label()));
            }
        }
        assertEquals("large x8", new Crowd(Replacement.LARGE, 8).label());
        assertThrows(NoSuchElementException.class, () -> Crowd.labelled("huge x8"));
    }
}
