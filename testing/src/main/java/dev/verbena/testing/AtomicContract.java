package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.REMOTE_INVALID_REQUEST;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** Compare-and-swap and fetch-and-add. */
interface AtomicContract extends FabricFixture {
    private FabricPair connectWithAtomics() {
        assumeTrue(openFabric().capabilities().hasAtomics(), "the fabric has no atomics");
        return connect();
    }

    @Test
    default void whereThereAreNoAtomicsPostingOneThrows() {
        FabricPair pair = connect();
        assumeFalse(pair.initiator.fabric.capabilities().hasAtomics(), "the fabric has atomics");
        for (Opcode opcode : new Opcode[]{Opcode.COMPARE_AND_SWAP, Opcode.FETCH_AND_ADD}) {
            WorkRequest atomic = pair.initiator.request(1, opcode, 0, 8, pair.target, 64);
            String message = assertThrows(IllegalArgumentException.class,
                    () -> pair.initiator.queuePair().post(atomic)).getMessage();
            assertTrue(message.contains(opcode + " cannot be posted: the fabric has no atomics"), message);
        }
        pair.run(pair.initiator.request(2, Opcode.WRITE, 0, 8, pair.target, 64), SUCCESS);
    }

    @Test
    default void compareAndSwapSwapsOnlyWhatItExpects() {
        FabricPair pair = connectWithAtomics();
        pair.target.region.memory().set(JAVA_LONG, 64, 10);
        WorkRequest swap = pair.initiator.request(1, Opcode.COMPARE_AND_SWAP, 0, 8, pair.target, 64);
        swap.compareOrAdd = 11;
        swap.swap = 99;
        pair.run(swap, SUCCESS);
        assertEquals(10, pair.initiator.region.memory().get(JAVA_LONG, 0));
        assertEquals(10, pair.target.region.memory().get(JAVA_LONG, 64));
        swap.compareOrAdd = 10;
        pair.run(swap, SUCCESS);
        assertEquals(10, pair.initiator.region.memory().get(JAVA_LONG, 0));
        assertEquals(99, pair.target.region.memory().get(JAVA_LONG, 64));
    }

    @Test
    default void fetchAndAddReturnsTheOldValueAndWraps() {
        FabricPair pair = connectWithAtomics();
        pair.target.region.memory().set(JAVA_LONG, 64, Long.MAX_VALUE);
        WorkRequest add = pair.initiator.request(1, Opcode.FETCH_AND_ADD, 8, 8, pair.target, 64);
        add.compareOrAdd = 2;
        Done done = pair.run(add, SUCCESS);
        assertEquals(Opcode.FETCH_AND_ADD, done.opcode());
        assertEquals(Long.MAX_VALUE, pair.initiator.region.memory().get(JAVA_LONG, 8));
        assertEquals(Long.MIN_VALUE + 1, pair.target.region.memory().get(JAVA_LONG, 64));
    }

    @Test
    default void concurrentAddersLoseNothing() throws InterruptedException {
        FabricPair pair = connectWithAtomics();
        FabricSide second = new FabricSide(openFabric(), "second", FabricPair.Options.DEFAULT);
        Connection connection = second.fabric.connect(pair.target.endpoint, second.queuePairOptions(1),
                20_000_000_000L);
        second.connection = connection;
        int rounds = 2000;
        Set<Long> seenBySecond = new HashSet<>();
        Thread thread = Thread.ofPlatform().start(() -> addMany(second, pair.target, rounds, seenBySecond));
        Set<Long> seen = new HashSet<>();
        addMany(pair.initiator, pair.target, rounds, seen);
        thread.join();
        assertEquals(2 * rounds, pair.target.region.memory().get(JAVA_LONG, 0));
        seen.addAll(seenBySecond);
        assertEquals(2 * rounds, seen.size(), "each old value is returned once");
    }

    private static void addMany(FabricSide from, FabricSide to, int rounds, Set<Long> seen) {
        QueuePair queuePair = from.queuePair();
        WorkRequest add = from.request(1, Opcode.FETCH_AND_ADD, 0, 8, to, 0);
        add.compareOrAdd = 1;
        for (int i = 0; i < rounds; i++) {
            queuePair.post(add);
            while (from.poll(1) == 0) {
                Thread.onSpinWait();
            }
            if (from.completions.remove().status() == SUCCESS) {
                seen.add(from.region.memory().get(JAVA_LONG, 0));
            }
        }
    }

    @Test
    default void unalignedAtomicsAreRefused() {
        for (Opcode opcode : new Opcode[]{Opcode.COMPARE_AND_SWAP, Opcode.FETCH_AND_ADD}) {
            FabricPair pair = connectWithAtomics();
            WorkRequest atomic = pair.initiator.request(1, opcode, 0, 8, pair.target, 12);
            atomic.compareOrAdd = 0;
            atomic.swap = 5;
            pair.run(atomic, REMOTE_INVALID_REQUEST);
            FabricPair.assertZero(pair.target, 0, 64);
            assertEquals(QueuePair.State.ERROR, pair.initiator.queuePair().state());
        }
    }

    @Test
    default void anAtomicHasOneElementOfEightBytes() {
        FabricPair pair = connectWithAtomics();
        for (Opcode opcode : new Opcode[]{Opcode.COMPARE_AND_SWAP, Opcode.FETCH_AND_ADD}) {
            WorkRequest none = pair.initiator.request(1, opcode).remote(pair.target.region.address(),
                    pair.target.region.rkey());
            assertThrows(IllegalArgumentException.class, () -> pair.initiator.queuePair().post(none));
            WorkRequest small = pair.initiator.request(1, opcode, 0, 4, pair.target, 0);
            assertThrows(IllegalArgumentException.class, () -> pair.initiator.queuePair().post(small));
            WorkRequest two = pair.initiator.request(1, opcode, 0, 8, pair.target, 0).element(pair.initiator.region, 8,
                    8);
            assertThrows(IllegalArgumentException.class, () -> pair.initiator.queuePair().post(two));
        }
        pair.assertNothingMore();
    }
}
