package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.TensorArena;

/**
 * One thread allocates and frees without a lock while another has all threads kept out and counts: it sees figures of one moment.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Description("One thread allocates and frees without a lock while another has all threads kept out and counts: it sees figures of one moment.")
@Outcome(id = {"0, 0, true", "1, 1, true", "2, 2, true", "2, 1, true", "2, 0, true"}, expect = ACCEPTABLE,
        desc = "so many were allocated, so many of them live")
@Outcome(expect = FORBIDDEN, desc = "figures that belong to no moment, or memory was lost")
@State
public class CountedWhileInUse {
    private final TensorArena arena = TinyArena.create();

    @Actor
    public void owner() {
        long first = arena.allocateAddress(TinyArena.HALF);
        long second = arena.allocateAddress(TinyArena.HALF);
        arena.freeAddress(first);
        arena.freeAddress(second);
    }

    @Actor
    public void counts(IIZ_Result result) {
        ArenaStatistics now = arena.statistics();
        result.r1 = (int) now.allocationCount();
        result.r2 = now.liveByteSize() == now.liveCount() * TinyArena.HALF ? (int) now.liveCount() : -1;
    }

    @Arbiter
    public void arbiter(IIZ_Result result) {
        result.r3 = TinyArena.isWhole(arena);
    }
}
