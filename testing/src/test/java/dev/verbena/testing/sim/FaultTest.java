package dev.verbena.testing.sim;

import static dev.verbena.transfer.spi.CompletionStatus.LOCAL_LENGTH_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.RETRY_EXCEEDED;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** Each fault and each incident does what it says. */
class FaultTest {
    private static final long AT_NS = 1_000_000;
    private static final long LENGTH_NS = 5_000_000;

    private Simulation simulation;
    private SimSide initiator;
    private SimSide target;

    private void begin(FaultPlan plan) {
        simulation = new Simulation(3, plan);
        initiator = new SimSide(simulation, "initiator");
        target = new SimSide(simulation, "target");
        initiator.connect(simulation, target);
    }

    private void begin(Incident.Kind kind) {
        begin(FaultPlan.NONE.with(new Incident(kind, 1, AT_NS, LENGTH_NS)));
    }

    @AfterEach
    void close() {
        simulation.close();
        assertEquals(List.of(), simulation.holdings());
    }

    // ---- incidents ----

    @Test
    void whoStandsStillPollsAndHearsNothingWhileItsMemoryIsWritten() {
        begin(Incident.Kind.PAUSE);
        target.postReceive(31);
        simulation.run(AT_NS);
        initiator.region.memory().set(JAVA_LONG, 8, 7);
        initiator.queuePair().post(initiator.request(1, Opcode.SEND, 8, 8, target, 0));
        assertEquals(SUCCESS, initiator.next().status());
        initiator.connection.close();
        simulation.run(LENGTH_NS / 2);
        assertEquals(0, target.poll());
        assertEquals(List.of(), target.lost);
        assertEquals(7, target.region.memory().get(JAVA_LONG, 0));
        assertEquals(31, target.next().id());
        assertTrue(simulation.nanoTime() >= AT_NS + LENGTH_NS);
        assertEquals(1, target.lost.size());
    }

    @Test
    void whoStandsStillForTooLongIsGivenUpAndToldSoWhenItGoesOn() {
        begin(FaultPlan.NONE.with(Fault.PEER_TIMEOUT_NS, LENGTH_NS / 2)
                .with(new Incident(Incident.Kind.PAUSE, 1, AT_NS, LENGTH_NS)));
        target.postReceive(31);
        simulation.run(AT_NS);
        assertTrue(simulation.runUntil(() -> !initiator.lost.isEmpty(), LENGTH_NS));
        assertEquals(AT_NS + LENGTH_NS / 2, simulation.nanoTime());
        assertTrue(initiator.lost.getFirst().matches("peer target .* was given up.*"), initiator.lost.getFirst());
        initiator.queuePair().post(initiator.request(1, Opcode.SEND, 0, 8, target, 0));
        assertEquals(RETRY_EXCEEDED, initiator.next().status());
        assertEquals(List.of(), target.lost);
        assertEquals(WORK_REQUEST_FLUSHED, target.next().status());
        assertTrue(simulation.nanoTime() >= AT_NS + LENGTH_NS);
        assertTrue(target.lost.getFirst().contains("gave this process up"), target.lost.getFirst());
    }

    @Test
    void whoStandsStillForLessOrSeveralTimesIsNotGivenUp() {
        begin(FaultPlan.NONE.with(Fault.PEER_TIMEOUT_NS, LENGTH_NS + 1)
                .with(new Incident(Incident.Kind.PAUSE, 1, AT_NS, LENGTH_NS))
                .with(new Incident(Incident.Kind.PAUSE, 1, AT_NS + LENGTH_NS + 1, LENGTH_NS)));
        simulation.run(AT_NS + 4 * LENGTH_NS);
        assertEquals(List.of(), initiator.lost);
        assertEquals(List.of(), target.lost);
    }

    @Test
    void whatHasBegunToLandMayGoOnUntilItsInitiatorHasClosedToo() {
        for (boolean outlives : new boolean[]{false, true}) {
            begin(FaultPlan.NONE.with(Fault.WRITES_OUTLIVE_TARGET, outlives ? 1 : 0).with(Fault.PIECE_COUNT_MAX, 64)
                    .with(Fault.DELAY_NS_MAX, 100_000));
            initiator.region.memory().fill((byte) 1);
            initiator.queuePair().post(initiator.write(1, 0, 2048, target, 0));
            assertTrue(simulation.runUntil(() -> landed() > 0, LENGTH_NS));
            long landed = landed();
            assertTrue(landed < 2048);
            boolean[] isQuiet = {false};
            target.connection.close();
            target.connection.whenQuiet(() -> isQuiet[0] = true);
            assertEquals(!outlives, isQuiet[0]);
            assertTrue(simulation.runUntil(() -> !initiator.lost.isEmpty(), LENGTH_NS));
            assertEquals(outlives, landed() > landed);
            initiator.connection.close();
            landed = landed();
            simulation.run(LENGTH_NS);
            assertTrue(isQuiet[0]);
            assertEquals(landed, landed());
            simulation.close();
        }
    }

    @Test
    void whoIsKilledIsMissedAndDoesNothingMore() {
        begin(Incident.Kind.KILL);
        initiator.queuePair().post(initiator.request(1, Opcode.SEND, 0, 8, target, 0));
        assertEquals(RETRY_EXCEEDED, initiator.next().status());
        assertTrue(initiator.lost.getFirst().endsWith(" died"), initiator.lost.getFirst());
        assertTrue(initiator.fabric.isAlive());
        assertFalse(target.fabric.isAlive());
        assertEquals(List.of(), target.lost);
        assertEquals(0, target.poll());
        assertEquals(QueuePair.State.CLOSED, target.queuePair().state());
        String killed = assertThrows(IllegalStateException.class,
                () -> target.fabric.connect(initiator.endpoint, target.options(0), AT_NS)).getMessage();
        assertTrue(killed.contains("was killed") && killed.contains("kill:1@"), killed);
        assertThrows(TransferException.class,
                () -> initiator.fabric.connect(target.endpoint, initiator.options(0), AT_NS));
    }

    @Test
    void whoIsCutOffLosesItsPeersAndFindsThemAgain() {
        begin(Incident.Kind.CUT);
        initiator.postReceive(11);
        target.postReceive(31);
        simulation.run(AT_NS);
        initiator.queuePair().post(initiator.write(1, 0, 8, target, 0));
        assertEquals(RETRY_EXCEEDED, initiator.next().status());
        assertEquals(WORK_REQUEST_FLUSHED, initiator.next().status());
        assertEquals(WORK_REQUEST_FLUSHED, target.next().status());
        assertTrue(initiator.lost.getFirst().endsWith("does not answer"), initiator.lost.getFirst());
        assertTrue(target.lost.getFirst().endsWith("does not answer"), target.lost.getFirst());
        initiator.connect(simulation, target);
        assertTrue(simulation.nanoTime() >= AT_NS + LENGTH_NS);
        initiator.queuePair().post(initiator.write(2, 0, 8, target, 0));
        assertEquals(SUCCESS, initiator.next().status());
    }

    /** Who stood still when it was welcomed has not known of the peer that it had been cut off from meanwhile. */
    @Test
    void aCutInTheHandshakeBreaksBothSidesThoughOneHearsOfTheOtherOnlyAfterwards() {
        begin(FaultPlan.parse("pause:0@2500+20000 cut:1@5000+1000"));
        assertTrue(simulation.nanoTime() > 22_500, "it was welcomed before the cut was over: " + simulation.nanoTime());
        initiator.queuePair().post(initiator.write(1, 0, 8, target, 0));
        simulation.run(AT_NS);
        assertEquals(1, initiator.lost.size());
        assertEquals(1, target.lost.size());
        assertEquals(RETRY_EXCEEDED, initiator.next().status());
    }

    @Test
    void theClockJumpsAndDevicesDoNot() {
        begin(Incident.Kind.JUMP);
        simulation.run(AT_NS - 100 - simulation.nanoTime());
        initiator.queuePair().post(initiator.write(1, 0, 8, target, 0));
        long startNs = simulation.nanoTime();
        initiator.queue.await(LENGTH_NS / 2);
        assertTrue(initiator.completions.isEmpty() && initiator.poll() == 0, "the await was over before the write");
        assertTrue(simulation.nanoTime() - startNs >= LENGTH_NS);
        assertEquals(SUCCESS, initiator.next().status());
        assertTrue(simulation.nanoTime() - startNs < LENGTH_NS + 100_000);
    }

    // ---- faults ----

    @Test
    void aCompletionQueueThatNobodyPollsOverruns() {
        begin(FaultPlan.NONE.with(Fault.COMPLETION_COUNT_MAX, 3));
        for (int i = 1; i <= 5; i++) {
            initiator.queuePair().post(initiator.write(i, 0, 8, target, 0));
        }
        simulation.run(AT_NS);
        assertEquals(QueuePair.State.ERROR, initiator.queuePair().state());
        for (int i = 1; i <= 4; i++) {
            assertEquals(SUCCESS, initiator.next().status());
        }
        assertEquals(WORK_REQUEST_FLUSHED, initiator.next().status());
        assertNull(initiator.connection.lostCause());
    }

    @Test
    void someRegistrationsFailAndLeaveNothing() {
        begin(FaultPlan.NONE);
        try (Simulation other = new Simulation(4, FaultPlan.NONE.with(Fault.FAILED_REGISTRATION_ONE_IN, 3))) {
            SimFabric fabric = other.openFabric();
            int failed = 0;
            for (int i = 0; i < 300; i++) {
                try {
                    fabric.register(4096, EnumSet.noneOf(AccessRight.class)).close();
                } catch (OutOfArenaMemoryException e) {
                    failed++;
                }
            }
            assertTrue(failed > 50 && failed < 150, "failed=" + failed);
            assertEquals(0, fabric.registeredByteSize());
        }
    }

    @Test
    void aPostMayTakeAPartButNeverNothingOfAnIdleQueuePair() {
        begin(FaultPlan.NONE.with(Fault.PARTIAL_POST_ONE_IN, 2));
        WorkRequest head = initiator.write(1, 0, 8, target, 0);
        head.next = initiator.write(2, 0, 8, target, 0);
        head.next.next = initiator.write(3, 0, 8, target, 0);
        int parts = 0;
        for (int i = 0; i < 100; i++) {
            int count = initiator.queuePair().post(head);
            assertTrue(count >= 1 && count <= 3, "count=" + count);
            parts += count < 3 ? 1 : 0;
            for (int j = 1; j <= count; j++) {
                assertEquals(j, initiator.next().id());
            }
        }
        assertTrue(parts > 20, "parts=" + parts);
    }

    @Test
    void aMissedReceiveIsFoundLater() {
        begin(FaultPlan.NONE.with(Fault.MISSED_RECEIVE_ONE_IN, 2));
        for (int i = 0; i < 100; i++) {
            target.postReceive(31);
            initiator.queuePair().post(initiator.request(1, Opcode.SEND, 0, 8, target, 0));
            assertEquals(SUCCESS, initiator.next().status());
            assertEquals(SUCCESS, target.next().status());
        }
        assertTrue(simulation.history().stream().anyMatch(each -> each.endsWith("missed a receive")));
    }

    @Test
    void whatIsDoneIsReadNoMoreHoweverOftenItWasTried() {
        begin(FaultPlan.NONE.with(Fault.MISSED_RECEIVE_ONE_IN, 2).with(Fault.PIECE_COUNT_MAX, 8)
                .with(Fault.PARTIAL_POST_ONE_IN, 2).with(Fault.STRAGGLING_PIECES, 1).with(Fault.DELAY_NS_MAX, 5_000));
        for (long round = 1; round <= 100; round++) {
            target.postReceive(31);
            initiator.region.memory().asSlice(0, 1024).fill((byte) round);
            initiator.queuePair()
                    .post(initiator.request(round, Opcode.WRITE_WITH_IMMEDIATE, 0, 1024, target, 1024));
            assertEquals(SUCCESS, initiator.next().status());
            initiator.region.memory().asSlice(0, 1024).fill((byte) -1);
            simulation.run(AT_NS);
            for (long offset = 1024; offset < 2048; offset++) {
                assertEquals((byte) round, target.region.memory().get(JAVA_BYTE, offset));
            }
            target.next();
        }
        assertTrue(simulation.history().stream().anyMatch(each -> each.endsWith("missed a receive")));
    }

    @Test
    void pollsMayFindLittle() {
        begin(FaultPlan.NONE.with(Fault.POLL_COUNT_MAX, 2).with(Fault.EMPTY_POLL_ONE_IN, 2));
        int empty = 0;
        for (int i = 1; i <= 5; i++) {
            initiator.queuePair().post(initiator.write(i, 0, 8, target, 0));
        }
        simulation.run(AT_NS);
        while (initiator.completions.size() < 5) {
            int count = initiator.poll();
            assertTrue(count <= 2);
            empty += count == 0 ? 1 : 0;
        }
        assertTrue(empty > 0);
    }

    @Test
    void relaxedOrderAndSilentWritesAreSaidBeforehand() {
        begin(FaultPlan.NONE.with(Fault.RELAXED_ORDER, 1).with(Fault.SILENT_WRITES, 1).with(Fault.PIECE_COUNT_MAX, 8)
                .with(Fault.DELAY_NS_MAX, 5_000));
        assertFalse(target.fabric.capabilities().writesInOrder());
        assertFalse(target.fabric.capabilities().wakesOnWrite());
        int early = 0;
        for (long round = 1; round <= 50; round++) {
            for (long offset = 0; offset < 128; offset += 8) {
                initiator.region.memory().set(JAVA_LONG, offset, round);
            }
            initiator.queuePair().post(initiator.write(round, 0, 128, target, 0));
            while (target.region.memory().get(JAVA_LONG, 120) != round) {
                assertTrue(simulation.step());
            }
            early += target.region.memory().get(JAVA_LONG, 0) == round ? 0 : 1;
            initiator.next();
        }
        assertTrue(early > 10, "tails that came before the rest: " + early);
        target.poll();
        assertEquals(0, target.queue.remoteEffects());
    }

    /** Who gives up cannot take back what is on its way. */
    @Test
    void whatIsUnderWayLandsUntilThePeerHears() {
        FaultPlan plan = FaultPlan.NONE.with(Fault.STRAGGLING_PIECES, 1).with(Fault.PIECE_COUNT_MAX, 8)
                .with(Fault.DELAY_NS_MAX, 5_000);
        int late = 0;
        for (int round = 0; round < 50; round++) {
            if (simulation != null) {
                simulation.close();
            }
            begin(plan);
            MemoryRegion from = initiator.fabric.register(4096, EnumSet.of(AccessRight.LOCAL_WRITE));
            from.memory().fill((byte) 1);
            WorkRequest write = new WorkRequest(1).reset(1, Opcode.WRITE).element(from, 0, 4096)
                    .remote(target.region.address(), target.region.rkey());
            initiator.queuePair().post(write);
            simulation.run(1_000 + 200 * round);
            long before = landed();
            initiator.queuePair().fail("given up");
            from.close();
            simulation.run(AT_NS);
            late += landed() > before ? 1 : 0;
            assertEquals(QueuePair.State.ERROR, target.queuePair().state());
        }
        assertTrue(late > 5 && late < 50, "landed later: " + late);
    }

    private long landed() {
        long count = 0;
        for (long offset = 0; offset < SimSide.REGION_BYTE_SIZE; offset++) {
            count += target.region.memory().get(JAVA_BYTE, offset);
        }
        return count;
    }

    @Test
    void lowLimitsAreSaidAndHold() {
        begin(FaultPlan.NONE.with(Fault.NO_ATOMICS, 1).with(Fault.ELEMENT_COUNT_MAX, 3)
                .with(Fault.READ_ELEMENT_COUNT_MAX, 5).with(Fault.MESSAGE_BYTE_SIZE_MAX, 100));
        Capabilities capabilities = initiator.fabric.capabilities();
        assertFalse(capabilities.hasAtomics());
        assertEquals(3, capabilities.elementCountMax());
        assertEquals(3, capabilities.readElementCountMax());
        assertThrows(IllegalArgumentException.class, () -> initiator.queuePair()
                .post(initiator.request(1, Opcode.FETCH_AND_ADD, 0, 8, target, 0)));
        initiator.queuePair().post(initiator.write(1, 0, 100, target, 0));
        assertEquals(SUCCESS, initiator.next().status());
        initiator.queuePair().post(initiator.write(2, 0, 101, target, 0));
        assertEquals(LOCAL_LENGTH_ERROR, initiator.next().status());
    }

    @Test
    void lateStepsAreLate() {
        begin(FaultPlan.NONE.with(Fault.LATE_ONE_IN, 10).with(Fault.LATE_NS, 1_000_000_000));
        long startNs = simulation.nanoTime();
        for (int i = 1; i <= 20; i++) {
            initiator.queuePair().post(initiator.write(i, 0, 8, target, 0));
            assertEquals(i, initiator.next().id());
        }
        long lateCount = (simulation.nanoTime() - startNs) / 1_000_000_000;
        assertTrue(lateCount >= 1 && lateCount < 30, "late: " + lateCount);
    }
}
