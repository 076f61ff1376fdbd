package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.run.RunTimes;

class IterationTimerTest {
    private long nowNs;

    /** Iteration i takes 1000 more than i ns, of which 10 are copying and i waiting. */
    private IterationTimes timed(int iterations) {
        IterationTimer timer = new IterationTimer(iterations, () -> nowNs);
        timer.begin();
        for (int i = 1; i <= iterations; i++) {
            nowNs += 1000 + i;
            timer.end(new RunTimes(500 + i, i, 10));
            if (i % 100 == 0) {
                nowNs += 1_000_000;
                timer.begin();
            }
        }
        return timer.times();
    }

    @Test
    void theThreeAddUpToTheTimeOfTheIterations() {
        IterationTimes times = timed(200);
        assertEquals(200, times.iterations());
        assertEquals(nowNs - 2_000_000, times.computing().totalNs() + times.copying().totalNs()
                + times.waiting().totalNs());
        assertEquals(200 * 990, times.computing().totalNs());
        assertEquals(200 * 10, times.copying().totalNs());
        assertEquals(100, times.waiting().p50Ns());
        assertEquals(198, times.waiting().p99Ns());
        assertEquals(200, times.waiting().maxNs());
        assertEquals(1, times.iterationsPerPoint());
        assertEquals(200, times.waiting().pointsNs().length);
        assertEquals(7, times.waiting().pointsNs()[6]);
    }

    @Test
    void ofManyIterationsPointsAreMeans() {
        IterationTimes times = timed(1250);
        assertEquals(3, times.iterationsPerPoint());
        assertEquals(417, times.waiting().pointsNs().length);
        assertEquals(2, times.waiting().pointsNs()[0]);
        assertEquals(Math.round((1249 + 1250) / 2.), times.waiting().pointsNs()[416]);
    }

    @Test
    void oneIterationIsItsOwnMedian() {
        IterationTimes times = timed(1);
        assertEquals(1, times.waiting().p50Ns());
        assertEquals(1, times.waiting().p99Ns());
        assertArrayEquals(new long[]{990}, times.computing().pointsNs());
    }
}
