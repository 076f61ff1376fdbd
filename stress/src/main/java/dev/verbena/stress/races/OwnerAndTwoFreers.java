package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicLong;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * Two threads free the blocks of a run while its owner takes them again. Needs three processors.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = {"0, true", "1, true", "2, true"}, expect = ACCEPTABLE, desc = "so many were free in time")
@Outcome(expect = FORBIDDEN, desc = "a block was handed out twice or lost")
@State
public class OwnerAndTwoFreers {
    private final TensorArena arena = TinyArena.create();
    private final AtomicLong firstMailbox = new AtomicLong();
    private final AtomicLong secondMailbox = new AtomicLong();
    private boolean isFirstFreed;
    private boolean isSecondFreed;
    private Tensor first;
    private Tensor second;

    @Actor
    public void owner() {
        long given = arena.allocateAddress(TinyArena.HALF);
        secondMailbox.setRelease(arena.allocateAddress(TinyArena.HALF));
        firstMailbox.setRelease(given);
        first = TinyArena.tryAllocate(arena, TinyArena.HALF);
        second = TinyArena.tryAllocate(arena, TinyArena.HALF);
    }

    @Actor
    public void freesFirst() {
        isFirstFreed = freeFrom(firstMailbox);
    }

    @Actor
    public void freesSecond() {
        isSecondFreed = freeFrom(secondMailbox);
    }

    @Arbiter
    public void arbiter(IZ_Result result) {
        boolean areDistinct = first == null || second == null || first.address() != second.address();
        if (!isFirstFreed) {
            arena.freeAddress(firstMailbox.get());
        }
        if (!isSecondFreed) {
            arena.freeAddress(secondMailbox.get());
        }
        for (Tensor tensor : new Tensor[]{first, second}) {
            if (tensor != null) {
                result.r1++;
                tensor.close();
            }
        }
        result.r2 = areDistinct && TinyArena.isWhole(arena);
    }

    private boolean freeFrom(AtomicLong mailbox) {
        long block = TinyArena.awaited(mailbox);
        if (block != 0) {
            arena.freeAddress(block);
        }
        return block != 0;
    }
}
