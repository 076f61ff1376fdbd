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
import dev.verbena.stress.Words;

/**
 * One thread closes an arena while another takes a small block of it: one of them is refused. Some tries find an idle run at hand,
 * the way without any lock.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = {"true, false, true", "false, true, true"}, expect = ACCEPTABLE, desc = "one of them")
@Outcome(expect = FORBIDDEN, desc = "both or none, or memory was lost")
@State
public class ArenaClosedWhileAllocating {
    private final TensorArena arena = TinyArena.create();
    private long block;
    private final Meeting meeting = new Meeting();

    /** Leaves a run to the thread that prepares the try, often one of the two. */
    public ArenaClosedWhileAllocating() {
        arena.freeAddress(arena.allocateAddress(TinyArena.HALF));
    }

    @Actor
    public void closes(ZZZ_Result result) {
        meeting.attend();
        result.r1 = Attempt.to(arena::close);
    }

    @Actor
    public void allocates(ZZZ_Result result) {
        meeting.attend();
        result.r2 = Attempt.to(() -> block = arena.allocateAddress(TinyArena.HALF));
    }

    @Arbiter
    public void arbiter(ZZZ_Result result) {
        if (result.r2) {
            Words.set(block, block);
            arena.freeAddress(block);
        }
        result.r3 = TinyArena.isWhole(arena);
    }
}
