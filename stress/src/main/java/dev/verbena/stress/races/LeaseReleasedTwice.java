package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;

/**
 * Two threads release the only lease of a tensor that it owns: one of them frees it, the other is told.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = {"true, false, true", "false, true, true"}, expect = ACCEPTABLE, desc = "one of them")
@Outcome(id = {"true, true, true", "true, true, false"}, expect = FORBIDDEN, desc = "released twice")
@Outcome(id = {"false, false, true", "false, false, false"}, expect = FORBIDDEN,
        desc = "both were told that it was released before")
@Outcome(expect = FORBIDDEN, desc = "the memory did not come back once")
@State
public class LeaseReleasedTwice {
    private final TensorArena arena = TinyArena.create();
    private final Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(TinyArena.WHOLE));
    private final TensorLease lease = TensorLease.owning(tensor);
    private final Meeting meeting = new Meeting();

    @Actor
    public void one(ZZZ_Result result) {
        meeting.attend();
        result.r1 = lease.release();
    }

    @Actor
    public void other(ZZZ_Result result) {
        meeting.attend();
        result.r2 = lease.release();
    }

    @Arbiter
    public void arbiter(ZZZ_Result result) {
        result.r3 = !tensor.isOpen() && TinyArena.isWhole(arena);
    }
}
