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

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.stress.Words;

/**
 * Another thread frees all blocks of a full arena, run after run of two, while their owner takes back what it gets of them: each is
 * handed out again once at most, and none of the frees is lost.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "every block is in one hand or free")
@Outcome(expect = FORBIDDEN, desc = "a block in two hands, or a free was lost")
@State
public class ReturnedOneByOne {
    private static final long BYTE_SIZE = TinyArena.HALF;
    private static final int BLOCKS = (int) (TinyArena.LARGE / BYTE_SIZE);

    private final TensorArena arena = TinyArena.createLarge();
    private final AtomicLong mailbox = new AtomicLong();
    private final AtomicLong firstFreed = new AtomicLong();
    private final Tensor[] taken = new Tensor[BLOCKS];
    private boolean areFreed;

    @Actor
    public void owner() {
        long lowest = arena.allocateAddress(BYTE_SIZE);
        for (int i = 1; i < BLOCKS; i++) {
            lowest = Math.min(lowest, arena.allocateAddress(BYTE_SIZE));
        }
        mailbox.setRelease(lowest);
        // Not before there is one: who finds no memory has all others kept out, and the two would not meet.
        if (TinyArena.awaited(firstFreed) != 0) {
            takeBack();
        }
    }

    @Actor
    public void other() {
        long lowest = TinyArena.awaited(mailbox);
        if (lowest != 0) {
            freeAll(lowest);
            areFreed = true;
        }
    }

    @Arbiter
    public void arbiter(ZZ_Result result) {
        if (!areFreed) {
            freeAll(mailbox.get());
        }
        result.r1 = true;
        for (int i = 0; i < BLOCKS; i++) {
            if (taken[i] != null) {
                result.r1 &= Words.get(taken[i].address()) == i;
                taken[i].close();
            }
        }
        result.r2 = TinyArena.isWhole(arena);
    }

    private void takeBack() {
        for (int i = 0; i < BLOCKS; i++) {
            taken[i] = TinyArena.tryAllocate(arena, BYTE_SIZE);
            if (taken[i] == null) {
                return;
            }
            Words.set(taken[i].address(), i);
        }
    }

    private void freeAll(long lowest) {
        for (int i = 0; i < BLOCKS; i++) {
            arena.freeAddress(lowest + i * BYTE_SIZE);
            firstFreed.setRelease(1);
        }
    }
}
