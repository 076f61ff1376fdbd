package dev.verbena.stress.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Another thread frees a large block of a room while its owner has everybody kept out and all rooms end: the block comes back once.
 *
 * <p><b>Owner:</b> the harness, which makes one for each try. <b>Threading:</b> one thread for each actor; the arbiter comes after them.
 */
@JCStressTest
@Outcome(id = "true, true", expect = ACCEPTABLE, desc = "all memory is free")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "they did not meet")
@Outcome(id = {"true, false", "false, false"}, expect = FORBIDDEN,
        desc = "the free was lost or counted twice, or the room's memory did not go back")
@State
public class FreedWhileRoomsEnd {
    private final Meeting beginning = new Meeting();
    private final Meeting meeting = new Meeting();
    private long block;

    @Actor
    public void owner(ZZ_Result result) {
        beginning.attend();
        RoomyArena.enter();
        block = RoomyArena.ARENA.allocateAddress(RoomyArena.LARGE);
        result.r1 = meeting.meets();
        if (result.r1) {
            RoomyArena.ARENA.statistics();
        } else {
            RoomyArena.ARENA.freeAddress(block);
        }
    }

    @Actor
    public void other() {
        beginning.attend();
        RoomyArena.enter();
        if (meeting.meets()) {
            RoomyArena.ARENA.freeAddress(block);
        }
    }

    @Arbiter
    public void arbiter(ZZ_Result result) {
        result.r2 = RoomyArena.isWhole();
    }
}
