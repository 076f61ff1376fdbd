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
 * One thread closes an arena with what is live while another pins that: the pin is refused, or the arena stays, and with it
 * the memory; or both are refused, since the one saw the other.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true, false, true", expect = ACCEPTABLE, desc = "closed: the pin is refused")
@Outcome(id = "false, true, true", expect = ACCEPTABLE, desc = "pinned: the close is refused")
@Outcome(id = "false, false, true", expect = ACCEPTABLE, desc = "the close was refused for the pin that it refused")
@Outcome(id = "true, true, true", expect = ACCEPTABLE, desc = "unpinned before it was closed")
@Outcome(expect = FORBIDDEN, desc = "pinned memory was given back, or memory was lost")
@State
public class PinnedWhileClosedForcibly {
    private final TensorArena arena = TinyArena.create();
    private final Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(TinyArena.WHOLE));
    private final Meeting meeting = new Meeting();
    private volatile boolean isAnswered;
    private boolean isClosed;
    /** While it was pinned. */
    private boolean wasClosed;

    @Actor
    public void closes(ZZZ_Result result) {
        meeting.attend();
        isClosed = Attempt.to(arena::closeForcibly);
        isAnswered = true;
        result.r1 = isClosed;
    }

    @Actor
    public void pins(ZZZ_Result result) {
        meeting.attend();
        TensorLease lease = new TensorLease();
        result.r2 = Attempt.to(() -> lease.pin(tensor));
        if (result.r2) {
            for (int i = 0; !isAnswered && i < Meeting.SPINS_MAX; i++) {
                Thread.onSpinWait();
            }
            wasClosed = isAnswered && isClosed;
            lease.close();
        }
    }

    @Arbiter
    public void arbiter(ZZZ_Result result) {
        if (!result.r1) {
            tensor.close();
        }
        result.r3 = !wasClosed && TinyArena.isWhole(arena);
    }
}
