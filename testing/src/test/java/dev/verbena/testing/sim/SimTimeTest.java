package dev.verbena.testing.sim;

import static dev.verbena.transfer.spi.CompletionStatus.RECEIVER_NOT_READY;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/** What the contract says of threads and of the clock, in one thread and in virtual time. */
class SimTimeTest {
    private static final long AT_NS = 1_000_000;
    private static final long HOUR_NS = 3_600_000_000_000L;

    private final Simulation simulation = new Simulation(7,
            FaultPlan.NONE.with(Fault.DELAY_NS_MAX, 5_000).with(Fault.PIECE_COUNT_MAX, 8));
    private final SimSide initiator = new SimSide(simulation, "initiator");
    private final SimSide target = new SimSide(simulation, "target");

    @AfterEach
    void close() {
        simulation.close();
        assertEquals(0, simulation.holdings().size(), () -> simulation.holdings().toString());
    }

    private void connect() {
        initiator.connect(simulation, target);
    }

    @Test
    void anotherThreadIsRefusedButForASignal() throws InterruptedException {
        String[] refusal = new String[1];
        Thread thread = Thread.ofPlatform().start(() -> {
            initiator.queue.signal();
            refusal[0] = assertThrows(IllegalStateException.class, initiator::poll).getMessage();
        });
        thread.join();
        assertTrue(refusal[0].contains("let one thread do everything"), refusal[0]);
    }

    // ---- sleeping ----

    @Test
    void anAwaitTakesItsTimeAndNoneOfTheMachines() {
        long startNs = simulation.nanoTime();
        initiator.queue.await(HOUR_NS);
        assertEquals(startNs + HOUR_NS, simulation.nanoTime());
        initiator.queue.await(0);
        initiator.queue.await(-1);
        assertEquals(startNs + HOUR_NS, simulation.nanoTime());
    }

    @Test
    void aSignalBeforehandEndsTheNextAwaitOnly() {
        initiator.queue.signal();
        initiator.queue.signal();
        long startNs = simulation.nanoTime();
        initiator.queue.await(HOUR_NS);
        assertEquals(startNs, simulation.nanoTime());
        initiator.queue.await(HOUR_NS);
        assertEquals(startNs + HOUR_NS, simulation.nanoTime());
    }

    @Test
    void aSignalThatComesLaterEndsAnAwaitThen() {
        simulation.schedule(5_000_000, "signal", initiator.queue::signal);
        long startNs = simulation.nanoTime();
        initiator.queue.await(HOUR_NS);
        assertEquals(startNs + 5_000_000, simulation.nanoTime());
    }

    @Test
    void messagesWakeBothSides() {
        connect();
        WorkRequest ping = initiator.request(1, Opcode.SEND, 0, 8, target, 0);
        WorkRequest pong = target.request(2, Opcode.SEND, 0, 8, initiator, 0);
        for (int i = 0; i < 300; i++) {
            initiator.postReceive(3);
            target.postReceive(4);
            initiator.queuePair().post(ping);
            assertEquals(4, target.next().id());
            target.queuePair().post(pong);
            Set<Long> ends = new HashSet<>(Set.of(initiator.next().id(), initiator.next().id()));
            assertEquals(Set.of(1L, 3L), ends);
            assertEquals(2, target.next().id());
        }
        assertTrue(simulation.nanoTime() < 300 * 100_000L, "nobody slept longer than a message takes");
    }

    @Test
    void aPlainWriteWakesTheTarget() {
        connect();
        initiator.region.memory().set(JAVA_LONG, 0, 77);
        initiator.queuePair().post(initiator.write(1, 0, 8, target, 64));
        target.queue.await(HOUR_NS);
        assertEquals(77, target.region.memory().get(JAVA_LONG, 64));
        assertTrue(simulation.nanoTime() < HOUR_NS);
    }

    @Test
    void aPostedReceiveEndsTheWaitForIt() {
        connect();
        initiator.queuePair().post(initiator.request(1, Opcode.SEND, 0, 8, target, 0));
        simulation.schedule(1_000_000_000, "receive", () -> target.postReceive(31));
        assertEquals(SUCCESS, initiator.next().status());
        assertTrue(simulation.nanoTime() >= 1_000_000_000 && simulation.nanoTime() < 1_001_000_000);
        assertEquals(31, target.next().id());
    }

    @Test
    void theReceiverNotReadyTimeoutIsExact() {
        for (long timeoutNs : new long[]{0, 1, 2_000_000, HOUR_NS}) {
            Connection connection = initiator.fabric.connect(target.endpoint, initiator.options(timeoutNs),
                    SimSide.PATIENCE_NS);
            long startNs = simulation.nanoTime();
            connection.queuePairs().getFirst().post(initiator.request(1, Opcode.SEND, 0, 8, target, 0));
            assertEquals(RECEIVER_NOT_READY, initiator.next().status());
            long tookNs = simulation.nanoTime() - startNs;
            assertTrue(tookNs >= timeoutNs && tookNs < timeoutNs + 20_000, "took=" + tookNs);
        }
    }

    /** Until the request's failure is known to both, it is on its way. */
    @Test
    void aReceiveThatComesTooLateIsNotTaken() {
        for (long lateNs = 1; lateNs < 5_000; lateNs += 100) {
            Connection connection = initiator.fabric.connect(target.endpoint, initiator.options(AT_NS),
                    SimSide.PATIENCE_NS);
            simulation.runUntil(() -> !target.accepted.isEmpty(), SimSide.PATIENCE_NS);
            target.connection = target.accepted.removeLast();
            connection.queuePairs().getFirst().post(initiator.request(1, Opcode.SEND, 0, 8, target, 0));
            assertTrue(
                    simulation.runUntil(() -> simulation.history().getLast().endsWith("waits no longer"), 2 * AT_NS));
            simulation.run(lateNs);
            target.postReceive(31);
            assertEquals(RECEIVER_NOT_READY, initiator.next().status());
            assertEquals(WORK_REQUEST_FLUSHED, target.next().status());
        }
    }

    @Test
    void theLossOfThePeerEndsAnAwait() {
        connect();
        target.postReceive(31);
        simulation.schedule(5_000_000, "abort", () -> initiator.connection.abort("gone"));
        assertEquals(WORK_REQUEST_FLUSHED, target.next().status());
        assertTrue(simulation.nanoTime() < 6_000_000);
        assertTrue(target.lost.getFirst().contains("gone"));
    }

    // ---- what is seen between two events ----

    @Test
    void theTailWordBecomesVisibleLast() {
        connect();
        int torn = 0;
        for (long round = 1; round <= 200; round++) {
            long byteSize = 16 + 8 * (round % 20);
            for (long offset = 0; offset < byteSize; offset += 8) {
                initiator.region.memory().set(JAVA_LONG, offset, round);
            }
            initiator.queuePair().post(initiator.write(round, 0, byteSize, target, 0));
            while (target.region.memory().get(JAVA_LONG, byteSize - 8) != round) {
                torn += target.region.memory().get(JAVA_LONG, 0) == round ? 1 : 0;
                assertTrue(simulation.step());
            }
            for (long offset = 0; offset < byteSize; offset += 8) {
                assertEquals(round, target.region.memory().get(JAVA_LONG, offset));
            }
            assertEquals(round, initiator.next().id());
        }
        assertTrue(torn > 100, "writes that were seen half done: " + torn);
    }

    @Test
    void addersThatMeetLoseNothing() {
        connect();
        SimSide second = new SimSide(simulation, "second");
        second.connect(simulation, target);
        Set<Long> seen = new HashSet<>();
        WorkRequest add = initiator.request(1, Opcode.FETCH_AND_ADD, 0, 8, target, 0);
        WorkRequest other = second.request(1, Opcode.FETCH_AND_ADD, 0, 8, target, 0);
        add.compareOrAdd = 1;
        other.compareOrAdd = 1;
        for (int i = 0; i < 500; i++) {
            initiator.queuePair().post(add);
            second.queuePair().post(other);
            initiator.next();
            second.next();
            seen.add(initiator.region.memory().get(JAVA_LONG, 0));
            seen.add(second.region.memory().get(JAVA_LONG, 0));
        }
        assertEquals(1000, seen.size());
        assertEquals(1000, target.region.memory().get(JAVA_LONG, 0));
    }

    // ---- connecting ----

    @Test
    void nobodyThereUsesAllOfItsTime() {
        long startNs = simulation.nanoTime();
        TransferException e = assertThrows(TransferException.class, () -> initiator.fabric
                .connect(new Endpoint("localhost", 9), initiator.options(0), 200_000_000));
        assertEquals(startNs + 200_000_000, simulation.nanoTime());
        assertTrue(e.getMessage().contains("localhost:9: nobody listens there for 200 ms"), e.getMessage());
    }

    @Test
    void connectingWaitsForAListener() {
        simulation.schedule(5_000_000_000L, "listens", () -> new SimSide(simulation, "late", 9));
        Connection connection = initiator.fabric.connect(new Endpoint("localhost", 9), initiator.options(0),
                SimSide.PATIENCE_NS);
        assertEquals("late", connection.peerName());
        assertTrue(simulation.nanoTime() >= 5_000_000_000L && simulation.nanoTime() < 5_100_000_000L);
    }

    /** However late it is. */
    @Test
    void whoIsJustConnectingHearsWhyItsPeerGivesUp() {
        int connected = 0;
        int refused = 0;
        for (long delayNs = 0; delayNs < 40_000; delayNs += 200) {
            SimSide from = new SimSide(simulation, "from");
            SimSide to = new SimSide(simulation, "to");
            simulation.schedule(delayNs, "abort", () -> to.fabric.abort("disk on fire"));
            try {
                Connection connection = from.fabric.connect(to.endpoint, from.options(0), SimSide.PATIENCE_NS);
                assertTrue(simulation.runUntil(() -> connection.lostCause() != null, SimSide.PATIENCE_NS));
                assertTrue(connection.lostCause().contains("disk on fire"), connection.lostCause());
                connected++;
            } catch (TransferException e) {
                assertTrue(e.getMessage().contains("disk on fire"), e.getMessage());
                refused++;
            }
            from.fabric.close();
            to.fabric.close();
        }
        assertTrue(connected > 10 && refused > 10, "connected=" + connected + " refused=" + refused);
    }

    /** A handler is called from inside a step, and steps itself. */
    @Test
    void aHandlerMayConnectInItsTurn() {
        SimSide third = new SimSide(simulation, "third");
        target.whenAccepted = connection -> {
            target.accepted.add(connection);
            target.connection = target.fabric.connect(third.endpoint, target.options(0), SimSide.PATIENCE_NS);
            target.queuePair().post(target.write(5, 0, 8, third, 0));
            assertEquals(5, target.next().id());
        };
        initiator.connection = initiator.fabric.connect(target.endpoint, initiator.options(0), SimSide.PATIENCE_NS);
        assertTrue(simulation.runUntil(() -> target.connection != null, SimSide.PATIENCE_NS));
        assertEquals("third", target.connection.peerName());
        assertFalse(target.accepted.isEmpty());
    }
}
