package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIZ_Result;

/**
 * A large block of a room is freed by the room's owner and by another thread: one of them is refused, and the block is handed out once.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = {"1, 0, true", "0, 1, true"}, expect = ACCEPTABLE, desc = "one of them")
@Outcome(id = "2, 2, true", expect = ACCEPTABLE, desc = "they did not meet")
@Outcome(id = {"1, 1, true", "1, 1, false"}, expect = FORBIDDEN, desc = "freed twice")
@Outcome(id = {"0, 0, true", "0, 0, false"}, expect = FORBIDDEN, desc = "both are refused, the block is lost")
@Outcome(expect = FORBIDDEN, desc = "the block is in two hands")
@State
public class LargeFreedTwice {
    private static final int REFUSED = 0;
    private static final int FREED = 1;
    private static final int NOT_MET = 2;

    private final Meeting meeting = new Meeting();
    private long block;
    private boolean isInOneHand;

    @Actor
    public void owner(IIZ_Result result) {
        block = RoomyArena.ARENA.allocateAddress(RoomyArena.LARGE);
        result.r1 = frees();
        if (result.r1 == NOT_MET) {
            RoomyArena.ARENA.freeAddress(block);
        }
        long first = RoomyArena.ARENA.allocateAddress(RoomyArena.LARGE);
        long second = RoomyArena.ARENA.allocateAddress(RoomyArena.LARGE);
        RoomyArena.ARENA.freeAddress(first);
        isInOneHand = first != second;
        if (isInOneHand) {
            RoomyArena.ARENA.freeAddress(second);
        }
    }

    /** Comes and goes too, so that the owner is lent rooms. */
    @Actor
    public void other(IIZ_Result result) {
        RoomyArena.ARENA.freeAddress(RoomyArena.ARENA.allocateAddress(RoomyArena.LARGE));
        result.r2 = frees();
    }

    @Arbiter
    public void arbiter(IIZ_Result result) {
        result.r3 = isInOneHand;
    }

    private int frees() {
        if (!meeting.meets()) {
            return NOT_MET;
        }
        boolean isFreed = Attempt.to(() -> RoomyArena.ARENA.freeAddress(block));
        // Nobody allocates before both have tried: the second one would free what is somebody else's by then.
        meeting.part();
        return isFreed ? FREED : REFUSED;
    }
}
