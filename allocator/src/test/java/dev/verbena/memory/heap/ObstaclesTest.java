package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.RunMap;

/** What stands in the way is what the maps of the slabs say, while nobody else is within. */
class ObstaclesTest {
    private static final int STEPS = 3000;
    private static final int LOOK_INTERVAL = 10;
    private static final long PAGE = SizeClasses.PAGE_BYTE_SIZE;
    private static final long[] SLAB_PAGES = {512, 160};
    private static final long LARGE_PAGES_MAX = 48;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final CentralHeap central = new CentralHeap(new PageRuns(), LongStream.of(SLAB_PAGES).sum());
    private final SlotHeap owner = SlotHeap.shared(central);
    private final SlotHeap other = SlotHeap.shared(central);
    private final Obstacles obstacles = new Obstacles(central);
    private final List<Long> live = new ArrayList<>();

    @AfterEach
    void end() {
        live.forEach(this::free);
        trim();
        central.removeIdle(0).forEach(source::release);
        assertEquals(List.of(), central.slabs());
    }

    /** Whoever frees; also before what is idle, returned or in a room has gone back. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void holesAreAsLongAsTheMapsSay(long seed) {
        LongStream.of(SLAB_PAGES).forEach(this::addSlab);
        SplittableRandom random = new SplittableRandom(seed);
        int found = 0;
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(100) < 45 && !live.isEmpty()) {
                free(random.nextBoolean() ? owner : other, live.remove(random.nextInt(live.size())));
            } else {
                allocate(random.nextBoolean() ? owner : other, random);
            }
            if (step % LOOK_INTERVAL == 0) {
                long sure = LongStream.rangeClosed(1, SLAB_PAGES[0]).filter(obstacles::areEverywhere).findFirst()
                        .orElse(Long.MAX_VALUE);
                trim();
                long hole = longestHole();
                assertTrue(sure > hole, "step=" + step + " sure=" + sure + " hole=" + hole);
                assertFalse(obstacles.areEverywhere(hole), "step=" + step + " hole=" + hole);
                boolean isAnyIdle = central.slabs().stream().anyMatch(SlabPages::isIdle);
                assertEquals(!isAnyIdle, obstacles.areEverywhere(hole + 1), "step=" + step + " hole=" + hole);
                assertEquals(!isAnyIdle, obstacles.areEverywhere(hole + 1), "by those that were found before");
                found += isAnyIdle ? 0 : 1;
            }
        }
        assertTrue(found > STEPS / LOOK_INTERVAL / 2, "found=" + found);
    }

    /** Eight blocks of eight pages, the first and each second of them free. */
    private void addHoles() {
        addSlab(64);
        for (int i = 0; i < 8; i++) {
            live.add(owner.allocateLarge(8));
        }
        live.sort(null);
        for (int i = 0; i < 4; i++) {
            free(live.remove(i));
        }
        assertEquals(8, longestHole());
    }

    /** Each is marked, with the lock of the central heap, when it is found. */
    @Test
    void whatWasFoundIsNotLookedForAgain() {
        addHoles();
        long before = central.lockCount();
        assertTrue(obstacles.areEverywhere(9));
        assertEquals(before + 4, central.lockCount());
        assertTrue(obstacles.areEverywhere(9));
        assertTrue(obstacles.areEverywhere(30));
        assertFalse(obstacles.areEverywhere(8));
        assertEquals(before + 4, central.lockCount());
    }

    @Test
    void whatWasFreedStandsInTheWayNoLonger() {
        addHoles();
        assertTrue(obstacles.areEverywhere(9));
        free(live.remove(1));
        assertFalse(obstacles.areEverywhere(24));
        assertTrue(obstacles.areEverywhere(25));
        live.add(owner.allocateLarge(24));
        assertTrue(obstacles.areEverywhere(9));
    }

    @Test
    void whatWasMadeShorterStandsInTheWayNoLonger() {
        addHoles();
        assertTrue(obstacles.areEverywhere(9));
        long block = live.get(0);
        assertTrue(owner.resizeLarge(owner.runAt(block), block, 3));
        assertFalse(obstacles.areEverywhere(13));
        assertTrue(obstacles.areEverywhere(14));
    }

    /** The others stay. */
    @Test
    void anotherOneTakesThePlaceOfOneThatWasFreed() {
        addHoles();
        assertTrue(obstacles.areEverywhere(9));
        live.add(owner.allocateLarge(3));
        free(live.remove(0));
        long before = central.lockCount();
        assertTrue(obstacles.areEverywhere(longestHole() + 1));
        assertEquals(before + 1, central.lockCount());
    }

    /** More runs than are looked at for one request. */
    @Test
    void manyAreNotLookedAt() {
        addSlab(16 * 1024);
        for (long block = owner.allocateLarge(1); block != 0; block = owner.allocateLarge(1)) {
            live.add(block);
        }
        assertFalse(obstacles.areEverywhere(1));
        assertTrue(obstacles.areEverywhere(4));
    }

    private void addSlab(long pageCount) {
        central.add(source.acquire(pageCount * PAGE), pageCount, false);
    }

    private void allocate(SlotHeap heap, SplittableRandom random) {
        long address;
        if (random.nextInt(3) == 0) {
            address = heap.allocateLarge(1 + random.nextLong(LARGE_PAGES_MAX));
        } else {
            long byteSize = 1 + random.nextLong(4 * PAGE);
            address = heap.allocateSlowly(SizeClasses.indexOf(byteSize), byteSize);
        }
        if (address != 0) {
            live.add(address);
        }
    }

    private void free(long block) {
        free(owner, block);
    }

    private static void free(SlotHeap heap, long block) {
        assertTrue(heap.free(block));
    }

    private void trim() {
        Stream.of(owner, other).forEach(SlotHeap::trim);
    }

    private long longestHole() {
        return central.slabs().stream().flatMap(slab -> slab.map().runs().stream())
                .filter(run -> run.kind() == RunMap.Kind.FREE).mapToLong(RunMap::pageCount).max().orElse(0);
    }
}
