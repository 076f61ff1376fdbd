package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;

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

/**
 * One thread closes a tensor while another asks for its memory: it gets exactly its bytes or is refused.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true, 0, true", expect = ACCEPTABLE, desc = "refused")
@Outcome(id = "true, 1, true", expect = ACCEPTABLE, desc = "its bytes")
@Outcome(expect = FORBIDDEN, desc = "other bytes, or the memory did not come back")
@State
public class ClosedWhileLookedAt {
    private final TensorArena arena = TinyArena.create();
    private final Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(TinyArena.HALF));
    private final long address = tensor.address();
    private final Meeting meeting = new Meeting();

    @Actor
    public void closes(ZIZ_Result result) {
        meeting.attend();
        result.r1 = Attempt.to(tensor::close);
    }

    @Actor
    public void looks(ZIZ_Result result) {
        meeting.attend();
        try {
            MemorySegment memory = tensor.memory();
            result.r2 = memory.address() == address && memory.byteSize() == TinyArena.HALF ? 1 : 2;
        } catch (IllegalStateException _) {
            result.r2 = 0;
        }
    }

    @Arbiter
    public void arbiter(ZIZ_Result result) {
        result.r3 = TinyArena.isWhole(arena);
    }
}
