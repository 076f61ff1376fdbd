package dev.verbena.verbs;

import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each operation of a reliable connected queue pair. */
class ReliableConnectedOnDevice {
    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void writes() {
        put(pair.initiator, 0, 42);
        pair.request().write(1, pair.target.region.remoteAddress() + 512, pair.target.region.rkey())
                .element(pair.initiator.region, 0, 4096).signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
        assertEquals(WorkCompletionOpcode.WRITE, pair.initiator.completions.opcode(0));
        TestDevice.expectArrived(42, () -> get(pair.target, 512));
    }

    @Test
    @Needs(Need.IMMEDIATES)
    void writesWithImmediate() {
        put(pair.initiator, 0, 42);
        pair.target.receives.get(0).receive(31);
        assertEquals(1, pair.target.queuePair.post(pair.target.receives, 0, 1));
        pair.request().writeWithImmediate(1, pair.target.region.remoteAddress(), pair.target.region.rkey(), 0x01020304)
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
        pair.target.expect(31, SUCCESS);
        WorkCompletions got = pair.target.completions;
        assertEquals(WorkCompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE, got.opcode(0));
        assertTrue(got.hasImmediate(0));
        assertEquals(0x01020304, got.immediate(0));
        assertEquals(8, got.byteSize(0));
        assertEquals(pair.target.queuePair.number(), got.queuePairNumber(0));
        assertEquals(42, get(pair.target, 0));
    }

    @Test
    void reads() {
        put(pair.target, 64, 43);
        pair.request().read(1, pair.target.region.remoteAddress() + 64, pair.target.region.rkey())
                .element(pair.initiator.region, 8, 8).signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
        assertEquals(WorkCompletionOpcode.READ, pair.initiator.completions.opcode(0));
        assertEquals(43, get(pair.initiator, 8));
    }

    @Test
    void sendsGatherAndReceivesScatter() {
        put(pair.initiator, 0, 1);
        put(pair.initiator, 64, 2);
        pair.target.receives.get(0).receive(31).element(pair.target.region, 0, 4).element(pair.target.region, 128,
                12);
        assertEquals(1, pair.target.queuePair.post(pair.target.receives, 0, 1));
        pair.request().send(1).element(pair.initiator.region, 0, 8).element(pair.initiator.region, 64, 8).signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
        pair.target.expect(31, SUCCESS);
        assertEquals(16, pair.target.completions.byteSize(0));
        assertEquals(1, get(pair.target, 0));
        assertEquals(2, get(pair.target, 132));
    }

    @Test
    void inlineDataMayComeFromTheHeapAndBeReusedAtOnce() {
        byte[] data = {1, 2, 3, 4, 5, 6, 7, 8};
        pair.request().write(1, pair.target.region.remoteAddress(), pair.target.region.rkey())
                .inline(MemorySegment.ofArray(data)).signaled();
        pair.post();
        data[0] = 99;
        pair.initiator.expect(1, SUCCESS);
        TestDevice.expectArrived(0x0807060504030201L, () -> get(pair.target, 0));
    }

    @Test
    void inlineDataIsGatheredInTheRequest() {
        put(pair.initiator, 8, 0x1111);
        put(pair.initiator, 24, 0x2222);
        MemorySegment memory = pair.initiator.region.memory();
        assertThrows(IllegalArgumentException.class, () -> pair.request().send(2).inline(memory, 0, 4096));
        assertThrows(IllegalArgumentException.class,
                () -> pair.request().send(2).element(pair.initiator.region, 0, 8).inline(memory, 0, 8));
        pair.request().write(1, pair.target.region.remoteAddress(), pair.target.region.rkey())
                .inline(memory, 8, 8).inline(memory, 24, 8).signaled();
        pair.post();
        put(pair.initiator, 8, 0);
        pair.initiator.expect(1, SUCCESS);
        TestDevice.expectArrived(0x1111, () -> get(pair.target, 0));
        TestDevice.expectArrived(0x2222, () -> get(pair.target, 8));
    }

    @Test
    @Needs(Need.ATOMICS)
    void atomics() {
        put(pair.target, 0, 5);
        pair.request().fetchAndAdd(1, pair.target.region.remoteAddress(), pair.target.region.rkey(), 3)
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
        assertEquals(5, get(pair.initiator, 0));
        assertEquals(8, get(pair.target, 0));
        pair.request().compareAndSwap(2, pair.target.region.remoteAddress(), pair.target.region.rkey(), 8, -1)
                .element(pair.initiator.region, 0, 8).signaled();
        pair.post();
        pair.initiator.expect(2, SUCCESS);
        assertEquals(8, get(pair.initiator, 0));
        assertEquals(-1, get(pair.target, 0));
    }

    @Test
    void aListIsOnePostAndOnlySignaledRequestsReport() {
        for (int i = 0; i < 8; i++) {
            put(pair.initiator, i * 8L, i);
            SendRequest request = pair.initiator.sends.get(i)
                    .write(i, pair.target.region.remoteAddress() + i * 8L, pair.target.region.rkey())
                    .element(pair.initiator.region, i * 8L, 8);
            if (i == 7) {
                request.signaled();
            }
        }
        assertEquals(8, pair.initiator.queuePair.post(pair.initiator.sends, 0, 8));
        pair.initiator.expect(7, SUCCESS);
        for (int i = 0; i < 8; i++) {
            long offset = i * 8L;
            TestDevice.expectArrived(i, () -> get(pair.target, offset));
        }
        assertEquals(0, pair.initiator.queue.poll(pair.initiator.completions));
    }

    private static void put(LoopbackPair.Side side, long offset, long value) {
        side.region.memory().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
    }

    private static long get(LoopbackPair.Side side, long offset) {
        return side.region.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }
}
