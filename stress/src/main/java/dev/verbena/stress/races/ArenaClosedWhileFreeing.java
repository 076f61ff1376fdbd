package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * One thread closes an arena while another closes its last tensor: the arena is closed, or refuses because it came too early.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "it came last")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "it came too early")
@Outcome(expect = FORBIDDEN, desc = "memory was lost")
@State
public class ArenaClosedWhileFreeing {
    private final TensorArena arena = TinyArena.create();
    private final Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(TinyArena.HALF));
    private final Meeting meeting = new Meeting();

    @Actor
    public void closes(ZZ_Result result) {
        meeting.attend();
        result.r1 = Attempt.to(arena::close);
    }

    @Actor
    public void frees() {
        meeting.attend();
        tensor.close();
    }

    @Arbiter
    public void arbiter(ZZ_Result result) {
        result.r2 = TinyArena.isWhole(arena);
    }
}
