package dev.verbena.testing;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;

/** What is done at once, beside the requests; or the answer that it cannot be. */
interface ImmediateContract extends ConnectingContract {
    long BYTE_SIZE = 10_000;

    @Test
    default void whereMemoryOfPeersIsNotMappedNothingIsDoneAtOnce() {
        FabricPair pair = connect();
        assumeTrue(!pair.initiator.fabric.capabilities().mapsPeerMemory(), "the fabric maps memory of peers");
        long address = pair.target.region.address();
        long rkey = pair.target.region.rkey();
        assertFalse(pair.initiator.queuePair().tryPut(pair.initiator.region.memory(), 0, 8, address, rkey));
        assertFalse(pair.initiator.queuePair().tryPutWord(address, rkey, 1, true));
        assertFalse(pair.initiator.queuePair().tryGet(address, rkey, pair.initiator.region.memory(), 0, 8));
    }

    @Test
    default void whatIsPutIsThereAndNothingCompletes() {
        FabricPair pair = connectImmediate();
        pair.initiator.fill(3, BYTE_SIZE, 5);
        long address = pair.target.region.address();
        long rkey = pair.target.region.rkey();
        QueuePair queuePair = pair.initiator.queuePair();
        assertTrue(queuePair.tryPut(pair.initiator.region.memory(), 3, BYTE_SIZE, address + 17, rkey));
        assertTrue(queuePair.tryPutWord(address + 16_000, rkey, 0x0123_4567_89ab_cdefL, true));
        assertEquals(0x0123_4567_89ab_cdefL, pair.target.region.memory().get(JAVA_LONG, 16_000));
        for (long i = 0; i < BYTE_SIZE; i++) {
            assertEquals(FabricSide.pattern(5, i), pair.target.region.memory().get(JAVA_BYTE, 17 + i));
        }
        assertEquals(0, pair.target.region.memory().get(JAVA_BYTE, 16));
        assertEquals(0, pair.target.region.memory().get(JAVA_BYTE, 17 + BYTE_SIZE));
        pair.settle();
        assertTrue(pair.initiator.completions.isEmpty() && pair.target.completions.isEmpty());
    }

    @Test
    default void whatIsGotIsWhatLiesThere() {
        FabricPair pair = connectImmediate();
        pair.target.fill(100, BYTE_SIZE, 6);
        try (Arena own = Arena.ofConfined()) {
            MemorySegment target = own.allocate(BYTE_SIZE + 2);
            assertTrue(pair.initiator.queuePair().tryGet(pair.target.region.address() + 100, pair.target.region.rkey(),
                    target, 1, BYTE_SIZE));
            for (long i = 0; i < BYTE_SIZE; i++) {
                assertEquals(FabricSide.pattern(6, i), target.get(JAVA_BYTE, 1 + i));
            }
            assertEquals(0, target.get(JAVA_BYTE, 0));
            assertEquals(0, target.get(JAVA_BYTE, BYTE_SIZE + 1));
        }
    }

    /** It is a request's to say why, and to fail the queue pair. */
    @Test
    default void whatThePeerDoesNotLetIsRefusedAndNothingFails() {
        FabricPair pair = connectImmediate();
        QueuePair queuePair = pair.initiator.queuePair();
        MemorySegment own = pair.initiator.region.memory();
        MemoryRegion readable = pair.target.fabric.register(4096,
                EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ));
        MemoryRegion writable = pair.target.fabric.register(4096,
                EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE));
        assertFalse(queuePair.tryPut(own, 0, 8, readable.address(), readable.rkey()));
        assertFalse(queuePair.tryPutWord(readable.address(), readable.rkey(), 1, true));
        assertFalse(queuePair.tryGet(writable.address(), writable.rkey(), own, 0, 8));
        assertFalse(queuePair.tryPut(own, 0, 9, writable.address() + 4088, writable.rkey()));
        assertFalse(queuePair.tryPut(own, 0, 8, writable.address() - 1, writable.rkey()));
        assertFalse(queuePair.tryPutWord(writable.address() + 4092, writable.rkey(), 1, true));
        assertFalse(queuePair.tryPutWord(writable.address() + 4, writable.rkey(), 1, true));
        assertFalse(queuePair.tryGet(readable.address() + 1, readable.rkey(), own, 0, 4096));
        writable.close();
        assertFalse(queuePair.tryPut(own, 0, 8, writable.address(), writable.rkey()));
        assertEquals(0, readable.memory().get(JAVA_LONG, 0));
        assertEquals(QueuePair.State.READY, queuePair.state());
        pair.initiator.fill(0, 8, 1);
        pair.run(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0),
                CompletionStatus.SUCCESS);
    }

    @Test
    default void nothingIsDoneAtOnceOnceTheQueuePairHasFailedOrIsClosed() {
        FabricPair pair = connectImmediate();
        QueuePair queuePair = pair.initiator.queuePair();
        long address = pair.target.region.address();
        long rkey = pair.target.region.rkey();
        queuePair.fail("enough");
        assertFalse(queuePair.tryPut(pair.initiator.region.memory(), 0, 8, address, rkey));
        assertFalse(queuePair.tryPutWord(address, rkey, 1, true));
        assertFalse(queuePair.tryGet(address, rkey, pair.initiator.region.memory(), 0, 8));
        pair.initiator.connection.close();
        assertFalse(queuePair.tryPut(pair.initiator.region.memory(), 0, 8, address, rkey));
        assertFalse(queuePair.tryPutWord(address, rkey, 1, false));
        assertFalse(queuePair.tryGet(address, rkey, pair.initiator.region.memory(), 0, 8));
        assertEquals(0, pair.target.region.memory().get(JAVA_LONG, 0));
    }

    @Test
    default void theNextPollTellsOfAWordThatTellsPollsAndALaterOneOfAnyOther() {
        FabricPair pair = connectImmediate();
        assumeTrue(pair.target.fabric.capabilities().wakesOnWrite(), "this fabric cannot tell that it was written to");
        for (boolean tellsPolls : new boolean[]{true, false}) {
            pair.settle();
            long before = pair.target.queue.remoteEffects();
            assertTrue(pair.initiator.queuePair().tryPutWord(pair.target.region.address(), pair.target.region.rkey(), 1,
                    tellsPolls));
            int polls = tellsPolls ? 1 : 1_000;
            for (int i = 0; i < polls; i++) {
                pair.target.poll(8);
            }
            assertNotEquals(before, pair.target.queue.remoteEffects(), () -> "tellsPolls=" + tellsPolls);
        }
    }

    @Test
    default void theNextPollTellsOfAnyWordIfItIsToLook() {
        FabricPair pair = connectImmediate();
        assumeTrue(pair.target.fabric.capabilities().wakesOnWrite(), "this fabric cannot tell that it was written to");
        pair.settle();
        long before = pair.target.queue.remoteEffects();
        assertTrue(pair.initiator.queuePair().tryPutWord(pair.target.region.address(), pair.target.region.rkey(), 1,
                false));
        pair.target.queue.lookForPuts();
        pair.target.poll(8);
        assertNotEquals(before, pair.target.queue.remoteEffects());
    }

    @Test
    default void aWordWakesWhoSleepsWhateverItTells() {
        FabricPair pair = connectImmediate();
        assumeTrue(pair.target.fabric.capabilities().wakesOnWrite(), "this fabric cannot tell that it was written to");
        assertTimeoutPreemptively(WakeContract.GUARD, () -> {
            Thread echo = Thread.ofPlatform().start(() -> putPingPong(pair.target, pair.initiator, 500, false));
            putPingPong(pair.initiator, pair.target, 500, true);
            echo.join();
        });
        assertEquals(500, pair.initiator.region.memory().get(JAVA_LONG, 64));
    }

    private static void putPingPong(FabricSide side, FabricSide other, int rounds, boolean begins) {
        for (long round = 1; round <= rounds; round++) {
            long expected = round;
            boolean tellsPolls = round % 2 == 0;
            if (begins) {
                assertTrue(side.queuePair().tryPutWord(other.region.address() + 64, other.region.rkey(), round,
                        tellsPolls));
            }
            WakeContract.awaitUntil(side, 8,
                    () -> (long) WakeContract.WORD.getAcquire(side.region.memory(), 64L) == expected);
            if (!begins) {
                assertTrue(side.queuePair().tryPutWord(other.region.address() + 64, other.region.rkey(), round,
                        tellsPolls));
            }
        }
    }

    private FabricPair connectImmediate() {
        FabricPair pair = connect();
        assumeTrue(pair.initiator.fabric.capabilities().mapsPeerMemory(), "the fabric does not map memory of peers");
        return pair;
    }
}
