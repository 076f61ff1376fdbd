package dev.verbena.transfer.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;

class LandingPlacesTest {
    private static final Shape SHAPE = Shape.of(4096);
    private static final int ROUNDS = 2000;

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 1 << 20, 1 << 20);
    private final LandingPlaces places = new LandingPlaces(arena);

    @AfterEach
    void close() {
        assertTrue(arena.isConsistent());
        arena.close();
    }

    @Test
    void whatComesBackIsTakenAgain() {
        List<TensorLease> leases = List.of(lend(), lend(), lend());
        List<Long> before = addresses(leases);
        leases.forEach(TensorLease::close);
        List<TensorLease> again = List.of(lend(), lend(), lend());
        assertEquals(before.stream().sorted().toList(), addresses(again).stream().sorted().toList());
        assertEquals(3, arena.statistics().liveCount(), "nothing was allocated for it");
        again.forEach(TensorLease::close);
        places.close();
    }

    @Test
    void whatDoesNotFitMakesRoom() {
        Shape half = Shape.of(arena.statistics().freeByteSize() / 2);
        lend(half).close();
        Shape most = Shape.of(half.dimension(0) + half.dimension(0) / 2);
        TensorLease lease = lend(most);
        assertEquals(1, arena.statistics().liveCount(), "the other one is free");
        assertNull(places.tryTake(ElementType.UINT8, half), "there is no room while it is lent");
        lease.close();
        lend(half).close();
        places.close();
        assertEquals(0, arena.statistics().liveCount());
    }

    /** One at a time: each has its place, once it is seen that they come again. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 15})
    void shapesThatComeInTurnAreKeptBesideEachOther(int shapes) {
        for (int i = 0; i < 2 * shapes; i++) {
            lend(Shape.of(64 * (1 + i % shapes))).close();
        }
        long allocated = arena.statistics().allocationCount();
        for (int i = 0; i < 4 * shapes; i++) {
            lend(Shape.of(64 * (1 + i % shapes))).close();
        }
        assertEquals(allocated, arena.statistics().allocationCount());
        assertEquals(shapes, arena.statistics().liveCount());
        // Others come, and none of them twice: what was kept goes.
        for (int i = 0; i < 2 * shapes; i++) {
            lend(Shape.of(3 + 8 * i)).close();
        }
        assertEquals(1, arena.statistics().liveCount());
        places.close();
    }

    @Test
    void whatIsLentWhenTheyCloseIsFreedWhenItComesBack() {
        List<TensorLease> leases = List.of(lend(), lend());
        lend().close();
        places.close();
        assertEquals(2, arena.statistics().liveCount());
        leases.forEach(TensorLease::close);
        assertEquals(0, arena.statistics().liveCount());
    }

    @Test
    void whatComesBackWhileTheyCloseIsFreed() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2);
        List<TensorLease> leases = new ArrayList<>();
        Thread giver = Thread.ofPlatform().start(() -> {
            for (int round = 0; round < ROUNDS; round++) {
                await(barrier);
                leases.getLast().close();
                await(barrier);
            }
        });
        for (int round = 0; round < ROUNDS; round++) {
            LandingPlaces closing = new LandingPlaces(arena);
            leases.add(lend(closing, SHAPE));
            await(barrier);
            closing.close();
            await(barrier);
            assertEquals(0, arena.statistics().liveCount(), "round=" + round);
        }
        giver.join();
    }

    /** Two threads give back what a third takes again: no place is lost, and none is lent twice. */
    @Test
    void whatSeveralGiveBackAtOnceIsTakenAgain() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(3);
        List<TensorLease> leases = List.of(lend(), lend(), lend(), lend());
        List<Long> before = addresses(leases).stream().sorted().toList();
        List<TensorLease> lent = new ArrayList<>(leases);
        List<Thread> givers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int first = 2 * i;
            givers.add(Thread.ofPlatform().start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    await(barrier);
                    lent.get(first).close();
                    lent.get(first + 1).close();
                    await(barrier);
                }
            }));
        }
        for (int round = 0; round < ROUNDS; round++) {
            await(barrier);
            await(barrier);
            lent.replaceAll(_ -> lend());
            assertEquals(before, addresses(lent).stream().sorted().toList(), "round=" + round);
        }
        for (Thread giver : givers) {
            giver.join();
        }
        assertEquals(4, arena.statistics().liveCount());
        lent.forEach(TensorLease::close);
        places.close();
        assertEquals(0, arena.statistics().liveCount());
    }

    private TensorLease lend() {
        return lend(SHAPE);
    }

    private TensorLease lend(Shape shape) {
        return lend(places, shape);
    }

    private static TensorLease lend(LandingPlaces places, Shape shape) {
        TensorLease lease = new TensorLease();
        places.tryTake(ElementType.UINT8, shape).lend(lease);
        return lease;
    }

    private static List<Long> addresses(List<TensorLease> leases) {
        return leases.stream().map(TensorLease::address).toList();
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
