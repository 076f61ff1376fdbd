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

/**
 * One thread closes a tensor, another a reshaped alias of it: one of them frees the memory, the other is told.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = {"true, false, true", "false, true, true"}, expect = ACCEPTABLE, desc = "one of them")
@Outcome(expect = FORBIDDEN, desc = "both or none, or the memory did not come back once")
@State
public class AliasClosedToo {
    private final TensorArena arena = TinyArena.create();
    private final Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(TinyArena.WHOLE));
    private final Tensor alias = tensor.reshaped(Shape.of(2, TinyArena.WHOLE / 2));
    private final Meeting meeting = new Meeting();

    @Actor
    public void one(ZZZ_Result result) {
        meeting.attend();
        result.r1 = Attempt.to(tensor::close);
    }

    @Actor
    public void other(ZZZ_Result result) {
        meeting.attend();
        result.r2 = Attempt.to(alias::close);
    }

    @Arbiter
    public void arbiter(ZZZ_Result result) {
        result.r3 = !tensor.isOpen() && !alias.isOpen() && TinyArena.isWhole(arena);
    }
}
