package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicLong;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZZ_Result;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.stress.Words;

/**
 * Two blocks fill a run. Its owner frees the one while another thread frees the other, and both want more at once: no block is in
 * two hands, none is lost, and there are never more than two.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "1, true, true", expect = ACCEPTABLE, desc = "the other block was not free in time")
@Outcome(id = "2, true, true", expect = ACCEPTABLE, desc = "all memory is in use again")
@Outcome(expect = FORBIDDEN, desc = "a block in two hands, too many or too few blocks, or one lost")
@State
public class RunFreedFromBothSides {
    private static final long OWNERS_FIRST = 1;
    private static final long OWNERS_SECOND = 2;
    private static final long OTHERS = 3;

    private final TensorArena arena = TinyArena.create();
    private final AtomicLong mailbox = new AtomicLong();
    private boolean isFreed;
    private Tensor first;
    private Tensor second;
    private Tensor third;

    @Actor
    public void owner() {
        long given = arena.allocateAddress(TinyArena.HALF);
        long own = arena.allocateAddress(TinyArena.HALF);
        mailbox.setRelease(given);
        arena.freeAddress(own);
        first = allocate(OWNERS_FIRST);
        second = allocate(OWNERS_SECOND);
    }

    @Actor
    public void other() {
        long block = TinyArena.awaited(mailbox);
        if (block != 0) {
            arena.freeAddress(block);
            isFreed = true;
            third = allocate(OTHERS);
        }
    }

    @Arbiter
    public void arbiter(IZZ_Result result) {
        if (!isFreed) {
            arena.freeAddress(mailbox.get());
        }
        result.r2 = true;
        free(first, OWNERS_FIRST, result);
        free(second, OWNERS_SECOND, result);
        free(third, OTHERS, result);
        result.r3 = TinyArena.isWhole(arena);
    }

    private Tensor allocate(long mark) {
        Tensor tensor = TinyArena.tryAllocate(arena, TinyArena.HALF);
        if (tensor != null) {
            Words.set(tensor.address(), mark);
        }
        return tensor;
    }

    private static void free(Tensor tensor, long mark, IZZ_Result result) {
        if (tensor != null) {
            result.r1++;
            result.r2 &= Words.get(tensor.address()) == mark;
            tensor.close();
        }
    }
}
