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
import dev.verbena.memory.TensorLease;

/**
 * One thread closes a pinned tensor while another gives up the last pin: the memory goes back once, whoever is last.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "free")
@Outcome(expect = FORBIDDEN, desc = "it did not go back, or twice")
@State
public class ClosedWhileUnpinned {
    private final TensorArena arena = TinyArena.create();
    private final Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(TinyArena.WHOLE));
    /** As a transfer would have left it. */
    private final TensorLease lease = TensorLease.of(tensor);
    private final Meeting meeting = new Meeting();

    @Actor
    public void closes(ZZ_Result result) {
        meeting.attend();
        result.r1 = Attempt.to(tensor::close);
    }

    @Actor
    public void unpins() {
        meeting.attend();
        lease.close();
    }

    @Arbiter
    public void arbiter(ZZ_Result result) {
        result.r2 = TinyArena.isWhole(arena);
    }
}
