package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** {@link TensorClosedTwice} for a life cycle that looks before it leaps. */
@JCStressTest
@Outcome(id = {"true, false", "false, true"}, expect = ACCEPTABLE, desc = "one of them")
@Outcome(expect = FORBIDDEN, desc = "both or none")
@State
public class MutantClosedTwice {
    private volatile boolean isClosed;

    @Actor
    public void one(ZZ_Result result) {
        result.r1 = closes();
    }

    @Actor
    public void other(ZZ_Result result) {
        result.r2 = closes();
    }

    private boolean closes() {
        if (isClosed) {
            return false;
        }
        isClosed = true;
        return true;
    }
}
