package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZIZ_Result;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;

/**
 * One thread closes a tensor while another pins it: either the pin is refused, or the memory stays as long as it is pinned.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true, 0, true", expect = ACCEPTABLE, desc = "closed before it could be pinned")
@Outcome(id = "true, 1, true", expect = ACCEPTABLE, desc = "its memory was not to be had while it was pinned")
@Outcome(expect = FORBIDDEN, desc = "pinned memory was handed out, or did not come back once")
@State
public class ClosedWhilePinned {
    private final TensorArena arena = TinyArena.create();
    private final Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(TinyArena.WHOLE));
    private final Meeting meeting = new Meeting();

    @Actor
    public void closes(ZIZ_Result result) {
        meeting.attend();
        result.r1 = Attempt.to(tensor::close);
    }

    @Actor
    public void pins(ZIZ_Result result) {
        meeting.attend();
        TensorLease lease = new TensorLease();
        if (Attempt.to(() -> lease.pin(tensor))) {
            Tensor another = TinyArena.tryAllocate(arena, TinyArena.WHOLE);
            result.r2 = another == null ? 1 : 2;
            lease.close();
        }
    }

    @Arbiter
    public void arbiter(ZIZ_Result result) {
        result.r3 = tensor.pins() == 0 && TinyArena.isWhole(arena);
    }
}
