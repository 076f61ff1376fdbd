package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

import dev.verbena.memory.TensorArena;

/**
 * One thread allocates and frees without a lock while another has all threads kept out and recounts everything, or takes away
 * what is idle: the books are in order.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true, true, true", expect = ACCEPTABLE, desc = "all equations hold")
@Outcome(expect = FORBIDDEN, desc = "the thread was caught in the middle of its work")
@State
public class CheckedWhileInUse {
    private static final int ROUNDS = 200;
    private static final int CHECKS = 4;
    private static final int CLASSES = 16;
    private static final long CLASS_STEP = 64;

    private final TensorArena arena = TinyArena.createLarge();
    private final Meeting meeting = new Meeting();

    @Actor
    public void owner() {
        takeAndFree(0);
        meeting.attend();
        for (int i = 0; i < ROUNDS; i++) {
            takeAndFree(i);
        }
    }

    private void takeAndFree(int i) {
        arena.freeAddress(arena.allocateAddress(CLASS_STEP * (1 + i % CLASSES)));
    }

    /** Whoever asks for figures also takes the owner's idle runs away: it must carve new ones all the time. */
    @Actor
    public void checks(ZZZ_Result result) {
        meeting.attend();
        result.r1 = true;
        result.r2 = true;
        for (int i = 0; i < CHECKS; i++) {
            result.r1 &= arena.statistics().liveCount() <= 1;
            result.r2 &= arena.isConsistent();
        }
    }

    @Arbiter
    public void arbiter(ZZZ_Result result) {
        result.r3 = TinyArena.isWhole(arena);
    }
}
