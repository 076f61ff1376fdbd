package dev.verbena.testing;

import static dev.verbena.testing.FabricPair.assertFilled;
import static dev.verbena.testing.FabricPair.assertZero;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/** Writes and reads: the target's CPU takes no part. */
interface OneSidedContract extends FabricFixture {
    /** After so many looks whoever waits lets others have its processor. */
    int SPINS_MAX = 10_000;

    @Test
    default void writeCopiesExactlyItsBytes() {
        FabricPair pair = connect();
        pair.initiator.fill(100, 1000, 1);
        Done done = pair.run(pair.initiator.request(7, Opcode.WRITE, 100, 1000, pair.target, 4096), SUCCESS);
        assertEquals(Opcode.WRITE, done.opcode());
        assertSame(pair.initiator.queuePair(), done.queuePair());
        assertFilled(pair.target, 4096, 1000, 1);
        assertZero(pair.target, 4096 - 64, 64);
        assertZero(pair.target, 4096 + 1000, 64);
        pair.assertNothingMore();
    }

    @Test
    default void everySizeAndAlignmentOfAWriteArrives() {
        FabricPair pair = connect();
        for (int byteSize = 0; byteSize <= 40; byteSize++) {
            for (int remoteOffset = 0; remoteOffset < 8; remoteOffset++) {
                pair.initiator.fill(3, byteSize, byteSize + remoteOffset);
                pair.target.region.memory().fill((byte) 0);
                pair.run(pair.initiator.request(1, Opcode.WRITE, 3, byteSize, pair.target, 64 + remoteOffset), SUCCESS);
                assertFilled(pair.target, 64 + remoteOffset, byteSize, byteSize + remoteOffset);
                assertZero(pair.target, 0, 64 + remoteOffset);
                assertZero(pair.target, 64 + remoteOffset + byteSize, 64);
            }
        }
    }

    /** Nor how much was asked for, be it more than any device takes. */
    @Test
    default void whatIsInlineArrivesAsWhatIsNot() {
        for (int byteSizeMax : new int[]{0, 64, 1 << 20}) {
            FabricPair pair = connect(FabricPair.Options.DEFAULT.withInlineByteSizeMax(byteSizeMax));
            for (int byteSize : new int[]{1, 63, 64, 65, 1000, 4096}) {
                pair.initiator.fill(3, byteSize, byteSize);
                pair.target.region.memory().fill((byte) 0);
                pair.run(pair.initiator.request(1, Opcode.WRITE, 3, byteSize, pair.target, 64), SUCCESS);
                assertFilled(pair.target, 64, byteSize, byteSize);
                assertZero(pair.target, 64 + byteSize, 64);
            }
        }
    }

    @Test
    default void writeWithImmediateConsumesAReceiveAndBringsTheData() {
        FabricPair pair = connect();
        assertTrue(pair.target.queuePair().postReceive(21, null, 0, 0));
        pair.initiator.fill(0, 512, 2);
        WorkRequest write = pair.initiator.request(7, Opcode.WRITE_WITH_IMMEDIATE, 0, 512, pair.target, 64);
        write.immediate = 0xcafe_babe;
        pair.run(write, SUCCESS);
        Done arrival = pair.next(pair.target, 21, SUCCESS);
        assertEquals(Opcode.RECEIVE_WRITE_WITH_IMMEDIATE, arrival.opcode());
        assertTrue(arrival.hasImmediate());
        assertEquals(0xcafe_babe, arrival.immediate());
        assertEquals(512, arrival.byteSize());
        assertSame(pair.target.queuePair(), arrival.queuePair());
        assertFilled(pair.target, 64, 512, 2);
        pair.assertNothingMore();
    }

    @Test
    default void writeWithImmediateWithoutDataIsASignal() {
        FabricPair pair = connect();
        pair.target.postReceive(21, 0, 64);
        WorkRequest write = pair.initiator.request(7, Opcode.WRITE_WITH_IMMEDIATE);
        write.immediate = 5;
        pair.run(write, SUCCESS);
        Done arrival = pair.next(pair.target, 21, SUCCESS);
        assertEquals(5, arrival.immediate());
        assertEquals(0, arrival.byteSize());
        assertZero(pair.target, 0, 64);
    }

    @Test
    default void dataIsThereWhenTheImmediateIs() {
        FabricPair pair = connect();
        for (int i = 1; i <= 200; i++) {
            pair.target.postReceive(i, 0, 0);
            pair.initiator.region.memory().set(JAVA_LONG, 0, i);
            WorkRequest first = pair.initiator.request(100 + i, Opcode.WRITE, 0, 8, pair.target, 512);
            first.signaled = false;
            WorkRequest second = pair.initiator.request(i, Opcode.WRITE_WITH_IMMEDIATE, 0, 8, pair.target, 1024);
            first.next = second;
            assertEquals(2, pair.initiator.queuePair().post(first));
            pair.next(pair.target, i, SUCCESS);
            assertEquals(i, pair.target.region.memory().get(JAVA_LONG, 512));
            assertEquals(i, pair.target.region.memory().get(JAVA_LONG, 1024));
            pair.next(pair.initiator, i, SUCCESS);
        }
    }

    @Test
    default void readFetches() {
        FabricPair pair = connect();
        pair.target.fill(300, 2000, 3);
        Done done = pair.run(pair.initiator.request(9, Opcode.READ, 1, 2000, pair.target, 300), SUCCESS);
        assertEquals(2000, done.byteSize());
        assertFilled(pair.initiator, 1, 2000, 3);
        assertZero(pair.initiator, 2001, 64);
        assertZero(pair.initiator, 0, 1);
    }

    @Test
    default void writeGathersInOrder() {
        FabricPair pair = connect();
        assumeTrue(pair.initiator.fabric.capabilities().elementCountMax() >= 5,
                "this fabric gathers fewer than 5 elements");
        MemoryRegion other = pair.initiator.fabric.register(4096, EnumSet.of(AccessRight.LOCAL_WRITE));
        for (int tail = 0; tail <= 12; tail++) {
            pair.target.region.memory().fill((byte) 0);
            pair.initiator.fill(0, 40 + tail, 4 + tail);
            other.memory().copyFrom(pair.initiator.region.memory().asSlice(10, 27));
            WorkRequest write = pair.initiator.request(1, Opcode.WRITE).element(pair.initiator.region, 0, 10)
                    .element(other, 0, 27).element(pair.initiator.region, 0, 0)
                    .element(pair.initiator.region, 37, 3).element(pair.initiator.region, 40, tail)
                    .remote(pair.target.region.address() + 64, pair.target.region.rkey());
            pair.run(write, SUCCESS);
            assertFilled(pair.target, 64, 40 + tail, 4 + tail);
            assertZero(pair.target, 64 + 40 + tail, 32);
        }
    }

    @Test
    default void writeGathersAsManyElementsAsTheFabricSays() {
        FabricPair pair = connect();
        int most = pair.initiator.fabric.capabilities().elementCountMax();
        pair.initiator.fill(0, 5 * most, 7);
        WorkRequest write = new WorkRequest(most).reset(1, Opcode.WRITE)
                .remote(pair.target.region.address() + 64, pair.target.region.rkey());
        for (int i = 0; i < most; i++) {
            // Apart, in the other direction, so that none is the neighbour of the one before.
            long apart = 4096 + 8L * (most - i);
            MemorySegment.copy(pair.initiator.region.memory(), 5L * i, pair.initiator.region.memory(), apart, 5);
            write.element(pair.initiator.region, apart, 5);
        }
        pair.run(write, SUCCESS);
        assertFilled(pair.target, 64, 5 * most, 7);
        assertZero(pair.target, 64 + 5 * most, 32);
    }

    @Test
    default void readScattersInOrder() {
        FabricPair pair = connect();
        assumeTrue(pair.initiator.fabric.capabilities().readElementCountMax() >= 3,
                "this fabric reads into fewer than 3 elements");
        pair.target.fill(0, 100, 5);
        WorkRequest read = pair.initiator.request(1, Opcode.READ).element(pair.initiator.region, 1000, 33)
                .element(pair.initiator.region, 2000, 60).element(pair.initiator.region, 3000, 7)
                .remote(pair.target.region.address(), pair.target.region.rkey());
        pair.run(read, SUCCESS);
        byte[] expected = pair.target.region.memory().asSlice(0, 100).toArray(ValueLayout.JAVA_BYTE);
        byte[] got = new byte[100];
        MemorySegment all = MemorySegment.ofArray(got);
        all.asSlice(0, 33).copyFrom(pair.initiator.region.memory().asSlice(1000, 33));
        all.asSlice(33, 60).copyFrom(pair.initiator.region.memory().asSlice(2000, 60));
        all.asSlice(93, 7).copyFrom(pair.initiator.region.memory().asSlice(3000, 7));
        assertArrayEquals(expected, got);
    }

    @Test
    default void theRequestMayBeChangedAfterPosting() {
        FabricPair pair = connect();
        pair.initiator.fill(0, 64, 6);
        WorkRequest write = pair.initiator.request(1, Opcode.WRITE, 0, 64, pair.target, 128);
        assertEquals(1, pair.initiator.queuePair().post(write));
        write.reset(99, Opcode.READ).element(pair.initiator.region, 8192, 1);
        pair.next(pair.initiator, 1, SUCCESS);
        assertFilled(pair.target, 128, 64, 6);
    }

    @Test
    default void largeWriteAndReadArriveWhole() {
        FabricPair pair = connect();
        // As large as a message may be, up to 13 MiB; and no multiple of a page.
        int byteSize = (int) Math.min(13 << 20, pair.initiator.fabric.capabilities().messageByteSizeMax() - 4096) + 24;
        MemoryRegion from = pair.initiator.fabric.register(byteSize, EnumSet.allOf(AccessRight.class));
        MemoryRegion to = pair.target.fabric.register(byteSize, EnumSet.allOf(AccessRight.class));
        for (long i = 0; i < byteSize; i += 8) {
            from.memory().set(JAVA_LONG, i, i * 0x9e37_79b9_7f4a_7c15L);
        }
        long half = byteSize / 2 & ~7;
        WorkRequest write = pair.initiator.request(1, Opcode.WRITE).element(from, 0, half).element(from, half,
                byteSize - half).remote(to.address(), to.rkey());
        pair.run(write, SUCCESS);
        assertEquals(-1, from.memory().mismatch(to.memory()));
        from.memory().fill((byte) 0);
        pair.run(pair.initiator.request(2, Opcode.READ).element(from, 0, byteSize).remote(to.address(), to.rkey()),
                SUCCESS);
        assertEquals(-1, from.memory().mismatch(to.memory()));
        assertFalse(from.memory().get(JAVA_LONG, byteSize - 8) == 0);
    }

    @Test
    default void theTailWordBecomesVisibleLast() throws InterruptedException {
        FabricPair pair = connect();
        assumeTrue(pair.target.fabric.capabilities().writesInOrder(), "this fabric makes no such promise");
        for (long byteSize : new long[]{16, 72, 4104, 3 << 20}) {
            MemoryRegion from = pair.initiator.fabric.register(byteSize, EnumSet.allOf(AccessRight.class));
            MemoryRegion to = pair.target.fabric.register(byteSize, EnumSet.allOf(AccessRight.class));
            int rounds = byteSize > 10_000 ? 20 : 500;
            AtomicLong seen = new AtomicLong();
            AtomicLong torn = new AtomicLong();
            Thread reader = Thread.ofPlatform().start(() -> watchTail(to, rounds, seen, torn));
            WorkRequest write = pair.initiator.request(1, Opcode.WRITE).element(from, 0, byteSize)
                    .remote(to.address(), to.rkey());
            for (int round = 1; round <= rounds; round++) {
                for (long offset = 0; offset < byteSize; offset += 8) {
                    from.memory().set(JAVA_LONG, offset, round);
                }
                pair.run(write, SUCCESS);
                int written = round;
                FabricPair.await("the reader has seen round=" + round, () -> seen.get() >= written, () -> {});
            }
            reader.join();
            assertEquals(0, torn.get(), "byteSize=" + byteSize + ": words that were old when the tail was new");
            from.close();
            to.close();
        }
    }

    /** Waits for each round's tail and looks at all words before it, last ones first. */
    private static void watchTail(MemoryRegion region, int rounds, AtomicLong seen, AtomicLong torn) {
        VarHandle word = JAVA_LONG.varHandle();
        long tail = region.memory().byteSize() - 8;
        for (long round = 1; round <= rounds; round++) {
            for (int spins = 0; (long) word.getAcquire(region.memory(), tail) != round; spins++) {
                if (spins < SPINS_MAX) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
            for (long offset = tail - 8; offset >= 0; offset -= 8) {
                if (region.memory().get(JAVA_LONG, offset) != round) {
                    torn.incrementAndGet();
                }
            }
            seen.set(round);
        }
    }

    @Test
    default void bothDirectionsWorkAtOnce() {
        FabricPair pair = connect();
        pair.initiator.fill(0, 256, 7);
        pair.target.fill(0, 256, 8);
        WorkRequest there = pair.initiator.request(1, Opcode.WRITE, 0, 256, pair.target, 1024);
        WorkRequest back = pair.target.request(2, Opcode.WRITE, 0, 256, pair.initiator, 1024);
        assertEquals(1, pair.initiator.queuePair().post(there));
        assertEquals(1, pair.target.queuePair().post(back));
        pair.next(pair.initiator, 1, SUCCESS);
        pair.next(pair.target, 2, SUCCESS);
        assertFilled(pair.target, 1024, 256, 7);
        assertFilled(pair.initiator, 1024, 256, 8);
    }
}
