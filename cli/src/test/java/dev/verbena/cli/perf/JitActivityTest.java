package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

/** What the JIT took is told since the last question, and each kind of question has its own. */
class JitActivityTest {
    private final AtomicLong compiledMs = new AtomicLong(1000);
    private final JitActivity jit = new JitActivity(compiledMs::get);

    @Test
    void millisecondsSinceTheLastQuestion() {
        assertEquals(0, jit.takeMs());
        compiledMs.addAndGet(7);
        assertTrue(jit.isBusy());
        assertEquals(7, jit.takeMs());
        assertEquals(0, jit.takeMs());
        assertFalse(jit.isBusy());
    }

    @Test
    void busyIsWhoTakesAHundredthOfTheTime() {
        compiledMs.addAndGet(TimeUnit.DAYS.toMillis(1));
        assertTrue(jit.isBusy());
        assertFalse(jit.isBusy());
    }
}
