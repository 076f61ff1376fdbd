package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicLong;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.TensorArena;
import dev.verbena.stress.Words;

/**
 * Two threads take blocks from an arena that lives long, and free each other's: nobody writes into a block that another one has.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "what was written is there at the end")
@Outcome(expect = FORBIDDEN, desc = "a block in two hands")
@State
public class SteadyExchange {
    private static final long BYTE_SIZE = 64;
    private static final long ARENA_BYTE_SIZE = 64L * 1024 * 1024;
    private static final TensorArena ARENA = TensorArena.create(new OffHeapSlabSource(), 0, ARENA_BYTE_SIZE);
    private static final AtomicLong TRIES = new AtomicLong();

    private final long mark = TRIES.incrementAndGet();
    private final AtomicLong ofOne = new AtomicLong();
    private final AtomicLong ofOther = new AtomicLong();

    @Actor
    public void one(ZZ_Result result) {
        ofOne.setRelease(allocate(mark));
        result.r1 = freeOf(ofOther, -mark);
    }

    @Actor
    public void other(ZZ_Result result) {
        ofOther.setRelease(allocate(-mark));
        result.r2 = freeOf(ofOne, mark);
    }

    /** What was not there in time is freed here. */
    @Arbiter
    public void arbiter(ZZ_Result result) {
        result.r1 &= freeOf(ofOther, -mark);
        result.r2 &= freeOf(ofOne, mark);
    }

    private static long allocate(long mark) {
        long block = ARENA.allocateAddress(BYTE_SIZE);
        Words.set(block, mark);
        return block;
    }

    /** Whether nobody wrote over the mark. */
    private static boolean freeOf(AtomicLong mailbox, long mark) {
        long block = mailbox.getAcquire();
        if (block == 0) {
            return true;
        }
        mailbox.setPlain(0);
        boolean isIntact = Words.get(block) == mark;
        ARENA.freeAddress(block);
        return isIntact;
    }
}
