package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

import dev.verbena.memory.TensorArena;

/**
 * Two threads free the two blocks of one run. It belongs to one of the two, or to the thread that prepares the try.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "all memory is free")
@Outcome(expect = FORBIDDEN, desc = "a free was lost or counted twice")
@State
public class TwoFreersOfOneRun {
    private final TensorArena arena = TinyArena.create();
    private final long first = arena.allocateAddress(TinyArena.HALF);
    private final long second = arena.allocateAddress(TinyArena.HALF);
    private final Meeting meeting = new Meeting();

    @Actor
    public void one() {
        meeting.attend();
        arena.freeAddress(first);
    }

    @Actor
    public void other() {
        meeting.attend();
        arena.freeAddress(second);
    }

    @Arbiter
    public void arbiter(Z_Result result) {
        result.r1 = TinyArena.isWhole(arena);
    }
}
