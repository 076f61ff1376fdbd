package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicLong;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.stress.Words;

/**
 * The only block is freed by another thread while its owner wants one: it comes back with what that thread wrote into it, and is not
 * lost. The two agree on nothing but that the one hands the address to the other; the way back is the arena's own.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "0, 0, true", expect = ACCEPTABLE, desc = "not handed over in time: no memory")
@Outcome(id = "1, 0, true", expect = ACCEPTABLE, desc = "not freed in time: no memory")
@Outcome(id = "1, 2, true", expect = ACCEPTABLE, desc = "handed out again, with what the other thread wrote")
@Outcome(expect = FORBIDDEN, desc = "stale contents, or a block lost or handed out twice")
@State
public class ReturnedBlock {
    private static final long FROM_OWNER = 1;
    private static final long FROM_OTHER = 2;
    private static final int TRIES = 3;

    private final TensorArena arena = TinyArena.create();
    private final AtomicLong mailbox = new AtomicLong();
    private boolean isFreed;

    @Actor
    public void owner(IIZ_Result result) {
        long block = arena.allocateAddress(TinyArena.WHOLE);
        Words.set(block, FROM_OWNER);
        mailbox.setRelease(block);
        Tensor next = null;
        for (int i = 0; next == null && i < TRIES; i++) {
            next = TinyArena.tryAllocate(arena, TinyArena.WHOLE);
        }
        if (next != null) {
            result.r2 = (int) Words.get(next.address());
            next.close();
        }
    }

    @Actor
    public void other(IIZ_Result result) {
        long block = TinyArena.awaited(mailbox);
        if (block != 0) {
            result.r1 = (int) Words.get(block);
            Words.set(block, FROM_OTHER);
            isFreed = true;
            arena.freeAddress(block);
        }
    }

    @Arbiter
    public void arbiter(IIZ_Result result) {
        if (!isFreed) {
            arena.freeAddress(mailbox.get());
        }
        result.r3 = TinyArena.isWhole(arena);
    }
}
