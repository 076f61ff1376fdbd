package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** {@link TwoFreersOfOneRun} for a run whose returned slots are set in two steps. */
@JCStressTest
@Outcome(id = "true", expect = ACCEPTABLE, desc = "both are free")
@Outcome(expect = FORBIDDEN, desc = "a free was lost")
@State
public class MutantFreeList {
    private volatile long returnedSlots;

    @Actor
    public void one() {
        long seen = returnedSlots;
        returnedSlots = seen | 1;
    }

    @Actor
    public void other() {
        long seen = returnedSlots;
        returnedSlots = seen | 2;
    }

    @Arbiter
    public void arbiter(Z_Result result) {
        result.r1 = returnedSlots == 3;
    }
}
