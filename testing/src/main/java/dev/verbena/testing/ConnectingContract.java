package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Opcode;

/** Connecting goes on by itself: nobody waits, and who asked hears the end of it once. */
interface ConnectingContract extends FabricFixture {
    int IN_VAIN = 100;
    int OTHERS = 10;

    /** One where nobody listens any more. */
    default Endpoint freeEndpoint() {
        FabricSide side = new FabricSide(openFabric(), "gone", FabricPair.Options.DEFAULT);
        side.fabric.close();
        return side.endpoint;
    }

    @Test
    default void connectingWaitsForAListenerAndNobodyForIt() {
        Endpoint endpoint = freeEndpoint();
        FabricSide side = new FabricSide(openFabric(), "early", FabricPair.Options.DEFAULT);
        Attempt attempt = Attempt.begin(side, endpoint);
        assertFalse(attempt.isOver(), "nobody listens there");
        FabricSide late = new FabricSide(openFabric(), "late", FabricPair.Options.DEFAULT, endpoint);
        FabricPair.await("the late one is found", () -> attempt.isOver() && !late.accepted.isEmpty(), () -> {
            side.poll(8);
            late.poll(8);
        });
        assertEquals("late", attempt.connection().peerName());
        assertEquals(endpoint, late.endpoint);
    }

    @Test
    default void whoConnectsInVainHoldsUpNobody() {
        Endpoint nobody = freeEndpoint();
        FabricPair pair = connect(FabricPair.Options.DEFAULT.withDepth(1));
        List<Attempt> inVain = new ArrayList<>();
        List<Attempt> others = new ArrayList<>();
        for (int i = 0; i < IN_VAIN; i++) {
            inVain.add(Attempt.begin(pair.initiator, nobody));
        }
        for (int i = 0; i < OTHERS; i++) {
            others.add(Attempt.begin(pair.initiator, pair.target.endpoint));
        }
        pair.await("all others are connected", () -> others.stream().allMatch(Attempt::isOver));
        others.forEach(each -> assertEquals("target", each.connection().peerName()));
        assertFalse(inVain.stream().anyMatch(Attempt::isOver), "there is nobody");
        pair.initiator.fabric.close();
        inVain.forEach(each -> each.assertFailed(""));
        others.forEach(Attempt::connection);
    }

    @Test
    default void eachHasItsOwnDeadline() {
        Endpoint nobody = freeEndpoint();
        FabricSide side = new FabricSide(openFabric(), "alone", FabricPair.Options.DEFAULT);
        Attempt patient = Attempt.begin(side, nobody);
        Attempt hasty = Attempt.begin(side, nobody, TimeUnit.MILLISECONDS.toNanos(20));
        FabricPair.await("time is up", hasty::isOver, () -> side.poll(8));
        hasty.assertFailed(" ms");
        assertFalse(patient.isOver());
    }

    @Test
    default void aRefusalIsHeardOnce() {
        FabricPair pair = connect();
        pair.target.refuseWith.set(new TransferException("no more workers: have=2"));
        Attempt attempt = Attempt.begin(pair.initiator, pair.target.endpoint);
        pair.await("it is refused", attempt::isOver);
        pair.settle();
        attempt.assertFailed("no more workers: have=2");
    }

    @Test
    default void whoGivesUpHearsItOfWhatItHasBegun() {
        FabricPair pair = connect();
        Attempt attempt = Attempt.begin(pair.initiator, freeEndpoint());
        pair.initiator.fabric.abort("disk on fire");
        Attempt later = Attempt.begin(pair.initiator, pair.target.endpoint);
        pair.await("both have ended", () -> attempt.isOver() && later.isOver());
        attempt.assertFailed("disk on fire");
        later.assertFailed("disk on fire");
    }

    @Test
    default void aConnectionThatItsHandlerDoesNotTakeIsClosed() {
        FabricPair pair = connect();
        pair.initiator.fabric.connect(pair.target.endpoint, pair.initiator.queuePairOptions(1),
                TimeUnit.SECONDS.toNanos(50), new ConnectHandler() {
                    @Override
                    public void onConnected(Connection connection) {
                        throw new IllegalStateException("no room for it");
                    }

                    @Override
                    public void onFailed(TransferException cause) {
                        throw new AssertionError(cause);
                    }
                });
        pair.await("the peer hears of it", () -> !pair.target.lost.isEmpty());
        assertEquals(pair.target.accepted.getLast(), pair.target.lost.getFirst().connection());
        pair.run(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0), SUCCESS);
    }
}
