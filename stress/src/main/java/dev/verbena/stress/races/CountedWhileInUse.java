package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
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
@Outcome(id = {"0, 0, true", "0, 1, true", "0, 2, true"}, expect = ACCEPTABLE, desc = "after whole pairs, so many live")
@Outcome(id = "1, 1, true", expect = ACCEPTABLE, desc = "after the first of a pair, which is live")
@Outcome(expect = FORBIDDEN, desc = "figures that belong to no moment, or memory was lost")
@State
public class CountedWhileInUse {
    private static final int ROUNDS = 50;

    private final TensorArena arena = TinyArena.create();
    private final Meeting meeting = new Meeting();

    /** Allocates in pairs, also before: when an odd number was handed out, one is live. */
    @Actor
    public void owner() {
        TinyArena.enter(arena);
        meeting.attend();
        for (int i = 0; i < ROUNDS; i++) {
            long first = arena.allocateAddress(TinyArena.HALF);
            long second = arena.allocateAddress(TinyArena.HALF);
            arena.freeAddress(first);
            arena.freeAddress(second);
        }
    }

    @Actor
    public void counts(IIZ_Result result) {
        meeting.attend();
        ArenaStatistics now = arena.statistics();
        result.r1 = (int) now.allocationCount() & 1;
        result.r2 = now.liveByteSize() == now.liveCount() * TinyArena.HALF ? (int) now.liveCount() : -1;
    }

    @Arbiter
    public void arbiter(IIZ_Result result) {
        result.r3 = TinyArena.isWhole(arena);
    }
}
