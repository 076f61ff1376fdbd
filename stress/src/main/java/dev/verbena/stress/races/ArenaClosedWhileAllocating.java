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
    private final TakenWhileClosed block;

    /** Leaves a run to the thread that prepares the try, often one of the two. */
    public ArenaClosedWhileAllocating() {
        TensorArena arena = TinyArena.create();
        arena.freeAddress(arena.allocateAddress(TinyArena.HALF));
        block = new TakenWhileClosed(arena, TinyArena.HALF);
    }

    @Actor
    public void closes(ZZZ_Result result) {
        result.r1 = block.close();
    }

    @Actor
    public void allocates(ZZZ_Result result) {
        result.r2 = block.take();
    }

    @Arbiter
    public void arbiter(ZZZ_Result result) {
        result.r3 = block.isWhole();
    }
}
