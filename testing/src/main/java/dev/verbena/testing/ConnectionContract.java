package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;

/** Listening, connecting, names and refusals. */
interface ConnectionContract extends ConnectingContract {
    @Test
    default void bothSidesKnowEachOther() {
        FabricPair pair = connect(FabricPair.Options.DEFAULT.withQueuePairs(3));
        Connection there = pair.initiator.connection;
        Connection here = pair.target.connection;
        assertEquals("target", there.peerName());
        assertEquals("initiator", here.peerName());
        assertEquals(pair.target.endpoint, there.peerEndpoint());
        assertEquals(pair.initiator.endpoint, here.peerEndpoint());
        assertEquals(List.of("initiator"), pair.target.requests);
        assertEquals(3, there.queuePairs().size());
        assertEquals(3, here.queuePairs().size());
        assertNull(there.lostCause());
        for (QueuePair queuePair : there.queuePairs()) {
            assertSame(there, queuePair.connection());
            assertSame(pair.initiator.queue, queuePair.completionQueue());
            assertEquals(QueuePair.State.READY, queuePair.state());
        }
        long numbers = Stream.of(there, here).mapToLong(c -> c.queuePairs().stream().map(QueuePair::number).distinct()
                .count()).sum();
        assertEquals(6, numbers, "numbers differ within a fabric");
    }

    @Test
    default void aPortInUseSaysWhichOne() {
        FabricPair pair = connect();
        TransferException e = assertThrows(TransferException.class,
                () -> openFabric().listen(pair.target.endpoint, "late", pair.target));
        assertTrue(e.getMessage().contains("" + pair.target.endpoint.port()) && e.getMessage().contains("in use"),
                e.getMessage());
    }

    @Test
    default void aForeignAddressCannotBeListenedAt() {
        // TEST-NET-2 (RFC 5737) is nobody's.
        TransferException e = assertThrows(TransferException.class, () -> openFabric().listen(
                new Endpoint("198.51.100.1", 0), "lost",
                new FabricSide(openFabric(), "x", FabricPair.Options.DEFAULT)));
        assertTrue(e.getMessage().contains("198.51.100.1"), e.getMessage());
    }

    @Test
    default void listeningIsOncePerFabric() {
        FabricPair pair = connect();
        assertThrows(IllegalStateException.class,
                () -> pair.target.fabric.listen(new Endpoint("127.0.0.1", 0), "again", pair.target));
        assertThrows(IllegalArgumentException.class,
                () -> openFabric().listen(new Endpoint("127.0.0.1", 0), " ", pair.target));
    }

    @Test
    default void nobodyThereIsAClearErrorWhenTimeIsUp() {
        FabricSide side = new FabricSide(openFabric(), "alone", FabricPair.Options.DEFAULT);
        Endpoint gone = freeEndpoint();
        long startNs = System.nanoTime();
        TransferException e = assertThrows(TransferException.class,
                () -> side.fabric.connect(gone, side.queuePairOptions(1), TimeUnit.MILLISECONDS.toNanos(200)));
        assertTrue(System.nanoTime() - startNs >= TimeUnit.MILLISECONDS.toNanos(200), "it did not use its time");
        assertTrue(e.getMessage().contains(gone.toString()), e.getMessage());
    }

    @Test
    default void anUnknownHostIsAClearError() {
        FabricSide side = new FabricSide(openFabric(), "alone", FabricPair.Options.DEFAULT);
        Endpoint nowhere = new Endpoint("no-such-host.invalid", 4001);
        TransferException e = assertThrows(TransferException.class,
                () -> side.fabric.connect(nowhere, side.queuePairOptions(1), TimeUnit.SECONDS.toNanos(20)));
        assertTrue(e.getMessage().contains("no-such-host.invalid"), e.getMessage());
        assertThrows(TransferException.class, () -> openFabric().listen(nowhere, "x", side));
    }

    @Test
    default void aRefusalCarriesItsReasonAndHarmsNobody() {
        FabricPair pair = connect();
        pair.target.refuseWith.set(new TransferException("no more workers: have=2"));
        TransferException e = assertThrows(TransferException.class, () -> pair.initiator.fabric.connect(
                pair.target.endpoint, pair.initiator.queuePairOptions(1), TimeUnit.SECONDS.toNanos(20)));
        assertTrue(e.getMessage().contains("no more workers: have=2"), e.getMessage());
        pair.target.refuseWith.set(null);
        pair.run(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0), SUCCESS);
        pair.initiator.fabric.connect(pair.target.endpoint, pair.initiator.queuePairOptions(1),
                TimeUnit.SECONDS.toNanos(20));
        pair.await("the next one is accepted", () -> pair.target.accepted.size() == 2);
    }

    /** However late it is: who has been connected never takes a peer that gives up for one that died. */
    @Test
    default void whoIsJustConnectingHearsWhyItsPeerGivesUp() throws InterruptedException {
        int connected = 0;
        // In small steps, and on a slow machine in larger ones until somebody has been connected.
        for (long delayMicros = 0; delayMicros < 4_000 || connected == 0
                && delayMicros < 20_000_000; delayMicros += delayMicros < 4_000 ? 100 : delayMicros / 4) {
            long delayNs = TimeUnit.MICROSECONDS.toNanos(delayMicros);
            FabricSide target = new FabricSide(openFabric(), "target", FabricPair.Options.DEFAULT);
            FabricSide initiator = new FabricSide(openFabric(), "initiator", FabricPair.Options.DEFAULT);
            Thread abort = Thread.ofPlatform().start(() -> {
                LockSupport.parkNanos(delayNs);
                target.fabric.abort("disk on fire");
            });
            try {
                Connection connection = initiator.fabric.connect(target.endpoint, initiator.queuePairOptions(1),
                        TimeUnit.SECONDS.toNanos(20));
                FabricPair.await("the peer says why", () -> connection.lostCause() != null, () -> initiator.poll(8));
                assertTrue(connection.lostCause().contains("disk on fire"), connection.lostCause());
                connected++;
            } catch (TransferException e) {
                assertTrue(e.getMessage().contains(target.endpoint.toString()), e.getMessage());
            }
            abort.join();
            TransferException e = assertThrows(TransferException.class, () -> initiator.fabric
                    .connect(target.endpoint, initiator.queuePairOptions(1), TimeUnit.SECONDS.toNanos(20)));
            assertTrue(e.getMessage().contains("disk on fire"), e.getMessage());
            assertThrows(TransferException.class, () -> target.fabric.connect(initiator.endpoint,
                    target.queuePairOptions(1), TimeUnit.SECONDS.toNanos(20)));
            initiator.fabric.close();
            target.fabric.close();
        }
        assertTrue(connected > 0, "nobody was ever connected");
    }

    @Test
    default void aFabricMayConnectToItself() {
        FabricSide side = new FabricSide(openFabric(), "self", FabricPair.Options.DEFAULT);
        side.connection = side.fabric.connect(side.endpoint, side.queuePairOptions(1), TimeUnit.SECONDS.toNanos(20));
        assertEquals("self", side.connection.peerName());
        side.fill(0, 64, 3);
        assertEquals(1, side.queuePair().post(side.request(1, Opcode.WRITE, 0, 64, side, 512)));
        while (side.poll(8) == 0) {
            Thread.onSpinWait();
        }
        assertEquals(SUCCESS, side.completions.remove().status());
        FabricPair.assertFilled(side, 512, 64, 3);
    }

    @Test
    default void aClosedFabricConnectsNoMore() {
        FabricPair pair = connect();
        pair.initiator.fabric.close();
        assertThrows(IllegalStateException.class, () -> pair.initiator.fabric.connect(pair.target.endpoint,
                pair.target.queuePairOptions(1), 1_000_000_000L));
        assertThrows(IllegalStateException.class, () -> pair.initiator.fabric.createCompletionQueue(1));
        assertThrows(IllegalStateException.class,
                () -> pair.initiator.fabric.listen(new Endpoint("127.0.0.1", 0), "x", pair.target));
    }
}
