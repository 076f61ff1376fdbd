package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/**
 * One thread frees the only block, a large one, and tells so, while another asks for one for the first time, so that the block is given a
 * mark at that moment, and again and again: it may be refused, but not once it is told that there is room.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "0, true", expect = ACCEPTABLE, desc = "not freed in time: refused")
@Outcome(id = "1, true", expect = ACCEPTABLE, desc = "found")
@Outcome(id = {"2, true", "2, false"}, expect = FORBIDDEN, desc = "refused although it was told that there is room")
@Outcome(expect = FORBIDDEN, desc = "memory was lost")
@State
public class MarkedWhileFreed {
    private final AskedWhileFreed block = AskedWhileFreed.fullAtFirst(TinyArena.createLarge(), TinyArena.LARGE);

    @Actor
    public void frees() {
        block.free();
    }

    @Actor
    public void asks(IZ_Result result) {
        result.r1 = block.ask();
    }

    @Arbiter
    public void arbiter(IZ_Result result) {
        result.r2 = block.isWhole();
    }
}
