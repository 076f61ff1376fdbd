package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;

/**
 * One thread gives up the last pin of a closed tensor while another shares it, as a transfer does that takes a view: either that is refused,
 * or the memory stays as long as it is pinned.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "0, true", expect = ACCEPTABLE, desc = "free before it could be shared")
@Outcome(id = "1, true", expect = ACCEPTABLE, desc = "its memory was not to be had while it was pinned")
@Outcome(expect = FORBIDDEN, desc = "pinned memory was handed out, or did not come back once")
@State
public class PinSharedWhileUnpinned {
    private final TensorArena arena = TinyArena.create();
    private final Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(TinyArena.WHOLE));
    private final TensorLease last = TensorLease.of(tensor);
    private final Meeting meeting = new Meeting();

    /** As a view would have left it whose tensor was closed. */
    public PinSharedWhileUnpinned() {
        tensor.close();
    }

    @Actor
    public void unpins() {
        meeting.attend();
        last.close();
    }

    @Actor
    public void shares(IZ_Result result) {
        meeting.attend();
        TensorLease[] shared = new TensorLease[1];
        if (Attempt.to(() -> shared[0] = last.share())) {
            Tensor another = TinyArena.tryAllocate(arena, TinyArena.WHOLE);
            result.r1 = another == null ? 1 : 2;
            shared[0].close();
        }
    }

    @Arbiter
    public void arbiter(IZ_Result result) {
        result.r2 = tensor.pins() == 0 && TinyArena.isWhole(arena);
    }
}
