package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;

/**
 * The two owners of a tensor release it: the last one frees it, whoever that is.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "free")
@Outcome(id = "false", expect = FORBIDDEN, desc = "it did not go back, or twice")
@State
public class LastOwnersOfOne {
    private final TensorArena arena = TinyArena.create();
    private final Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(TinyArena.WHOLE));
    private final TensorLease one = TensorLease.owning(tensor);
    private final TensorLease other = one.share();
    private final Meeting meeting = new Meeting();

    @Actor
    public void one() {
        meeting.attend();
        one.close();
    }

    @Actor
    public void other() {
        meeting.attend();
        other.close();
    }

    @Arbiter
    public void arbiter(Z_Result result) {
        result.r1 = !tensor.isOpen() && TinyArena.isWhole(arena);
    }
}
