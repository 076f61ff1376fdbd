package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Heaps with rooms, by the steps of one thread that is each of them in turn: nothing overlaps, nothing is lost, all grows together again. */
class RoomsProperties {
    private static final int HEAPS = 3;
    private static final long SLAB_PAGES = 64 * 1024;
    private static final long LARGE_PAGES_MAX = 400;

    private final CentralHeap central = new CentralHeap(new PageRuns(), 1L << 32);
    private final List<SlotHeap> heaps = Stream.generate(() -> SlotHeap.shared(central)).limit(HEAPS).toList();
    /** From each block's address to its end. */
    private final TreeMap<Long, Long> live = new TreeMap<>();
    private final List<Long> addresses = new ArrayList<>();

    @Property(tries = 60)
    void blocksOfRoomsAreLikeAnyOthers(@ForAll long seed) {
        Random random = new Random(seed);
        addSlab();
        addSlab();
        int rooms = 0;
        for (int step = 0; step < 3000; step++) {
            SlotHeap heap = heaps.get(random.nextInt(HEAPS));
            int kind = random.nextInt(1000);
            if (kind < 2) {
                heaps.forEach(SlotHeap::takeReturned);
                heaps.forEach(SlotHeap::endRooms);
            } else if (kind < 4) {
                heaps.forEach(SlotHeap::trim);
            } else if (kind < 40 && !addresses.isEmpty()) {
                resize(heap, addresses.get(random.nextInt(addresses.size())), 1 + random.nextLong(LARGE_PAGES_MAX));
            } else if (random.nextInt(300) < addresses.size()) {
                free(heap, random);
            } else {
                allocate(heap, random);
            }
            if (step % 50 == 0) {
                checkAll();
            }
            rooms += heap.rooms().count();
        }
        checkAll();
        assertTrue(rooms > 0, "nobody had a room");
        while (!addresses.isEmpty()) {
            free(heaps.get(random.nextInt(HEAPS)), random);
        }
        heaps.forEach(SlotHeap::trim);
        checkAll();
        assertEquals(2, central.pages.free.runCount());
        assertEquals(2 * SLAB_PAGES, central.pages.free.pageCount());
        assertEquals(2, central.removeIdle(0).size());
    }

    @Example
    void aThreadThatIsAloneHasNoRoom() {
        addSlab();
        SlotHeap heap = heaps.getFirst();
        for (int i = 0; i < 1000; i++) {
            long address = heap.allocateLarge(100);
            heap.freeLarge(heap.runAt(address), address);
        }
        assertEquals(0, heap.rooms().count());
        heaps.forEach(SlotHeap::trim);
        central.removeIdle(0);
    }

    /** What was planned fits: nothing is between the blocks. */
    @Example
    void nobodyHasARoomBeforeSomethingIsFreed() {
        addSlab();
        for (int i = 0; i < 100; i++) {
            for (SlotHeap heap : heaps) {
                addresses.add(heap.allocateLarge(100));
                assertEquals(0, heap.rooms().count());
            }
        }
        assertEquals(1, central.pages.free.runCount());
        for (long address : addresses) {
            heaps.getFirst().freeLarge(heaps.getFirst().runAt(address), address);
        }
        heaps.forEach(SlotHeap::trim);
        central.removeIdle(0);
    }

    @Example
    void aBlockOfARoomIsFreedOnce() {
        addSlab();
        SlotHeap owner = heaps.get(0);
        SlotHeap other = heaps.get(1);
        long address = inRoom(owner, other);
        long run = owner.runAt(address);
        assertThrows(IllegalArgumentException.class, () -> other.freeLarge(run, address + 4096));
        other.freeLarge(run, address);
        assertThrows(IllegalStateException.class, () -> other.freeLarge(run, address));
        assertThrows(IllegalStateException.class, () -> owner.freeLarge(run, address));
        assertThrows(IllegalStateException.class, () -> owner.resizeLarge(run, address, 5));
        owner.takeReturned();
        assertEquals(0, owner.runAt(address));
        assertEquals(address, owner.allocateLarge(100));
        owner.freeLarge(owner.runAt(address), address);
        heaps.forEach(SlotHeap::trim);
        central.removeIdle(0);
    }

    /** Rooms that are all free go back when the heap has done without them for long. */
    @Example
    void aHeapKeepsLittleMoreThanItUses() {
        addSlab();
        addSlab();
        SlotHeap owner = heaps.get(0);
        addresses.add(inRoom(owner, heaps.get(1)));
        for (int i = 0; i < 300; i++) {
            addresses.add(owner.allocateLarge(200));
        }
        for (long address : addresses) {
            owner.freeLarge(owner.runAt(address), address);
        }
        long kept = owner.rooms().freeByteSizeOpaque();
        for (int i = 0; i < 10_000; i++) {
            long address = owner.allocateLarge(200);
            owner.freeLarge(owner.runAt(address), address);
        }
        // What is left may be one room, which is as long as several of these blocks.
        assertTrue(owner.rooms().freeByteSizeOpaque() < kept / 2, () -> "kept=" + kept);
        heaps.forEach(SlotHeap::trim);
        central.removeIdle(0);
    }

    /** A block of 100 pages in a room of the owner, who meets the other until he gets one. */
    private long inRoom(SlotHeap owner, SlotHeap other) {
        for (;;) {
            long address = owner.allocateLarge(100);
            if (owner.rooms().count() > 0) {
                return address;
            }
            other.freeLarge(other.runAt(address), address);
        }
    }

    private void addSlab() {
        long address = 1L << 40 + central.slabs().size();
        central.add(() -> MemorySegment.ofAddress(address), SLAB_PAGES, false);
    }

    private void allocate(SlotHeap heap, Random random) {
        boolean isLarge = random.nextInt(3) > 0;
        long byteSize = isLarge ? (17 + random.nextLong(LARGE_PAGES_MAX)) * SizeClasses.PAGE_BYTE_SIZE
                : 1 + random.nextLong(SizeClasses.SLOT_BYTE_SIZE_MAX);
        long address = heap.allocateAny(byteSize);
        assertTrue(address != 0);
        var before = live.lowerEntry(address + byteSize);
        assertTrue(before == null || before.getValue() <= address, "two blocks at one place");
        live.put(address, address + byteSize);
        addresses.add(address);
    }

    private void free(SlotHeap heap, Random random) {
        int index = random.nextInt(addresses.size());
        long address = addresses.set(index, addresses.getLast());
        addresses.removeLast();
        live.remove(address);
        assertTrue(heap.free(address));
    }

    private void resize(SlotHeap heap, long address, long pages) {
        long run = heap.runAt(address);
        if (!RunRecord.isSlots(run) && !heap.isElsewhere(run) && heap.resizeLarge(run, address, pages)) {
            assertEquals(pages, RunRecord.pageCount(run));
            live.put(address, address + pages * SizeClasses.PAGE_BYTE_SIZE);
            Long next = live.higherKey(address);
            assertTrue(next == null || next >= live.get(address));
        }
    }

    private void checkAll() {
        heaps.forEach(SlotHeap::takeReturned);
        long byteSize = central.largeByteSize();
        long count = central.largeAllocationCount() - central.largeFreeCount();
        for (SlotHeap heap : heaps) {
            byteSize += heap.liveByteSize() + heap.rooms().liveByteSizeOpaque();
            count += heap.liveCount() + heap.rooms().liveCountOpaque();
        }
        assertEquals(addresses.size(), count);
        assertTrue(new ArenaCheck(central).confirms(byteSize, count));
        central.peak.look();
        assertTrue(central.peak.byteSize() >= byteSize);
    }
}
