package dev.verbena.memory.heap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

import dev.verbena.memory.ArenaStatistics;

/**
 * The runs of slots that one thread carves its small blocks from, so that it meets no other thread; or, of a shared one, several
 * threads.
 *
 * <p>What the owner frees goes back to the run at once. What another thread frees waits in {@link ReturnedRuns} until the owner runs
 * out of slots of some class. A run all of whose slots are free, an idle one, stays for the next block, unless the heap has more than
 * {@link #CACHED_BYTE_SIZE} free and less live, or is to make room for a large block; then it goes back to the {@link CentralHeap}, where it
 * grows together with what is free beside it ({@link IdleRuns}). Whoever finds no memory takes all of them away.
 *
 * <p>Invariants: a run of this heap is in the bin of its class exactly when it is not full;
 * {@code allocatedByteSize - freedByteSize} is the sum over its slots that are not free, those included that wait to be taken back;
 * {@code runByteSize} that over its runs.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> every method is called with its lock held, {@link #tryEnter} or {@link #lock}, but
 * those that say otherwise, which are thread-safe.
 */
public class SlotHeap extends OwnerLock {
    /** Free bytes that a heap keeps in its runs in any case; more only as long as there are as many live ones. */
    public static final long CACHED_BYTE_SIZE = 8 * 1024 * 1024;

    /**
     * A heap that has so much less live than it had publishes, for which it reads a line of each heap that its owner writes. With 200 blocks of
     * at most 64 KiB that is one pair in 200,000; with 1 MiB it was one in 2,500.
     */
    public static final long PEAK_DRIFT_MAX = 2 * 1024 * 1024;

    private static final VarHandle LIVE_PEAK = FieldHandle.of(MethodHandles.lookup(), "livePeakByteSize", long.class);
    private static final VarHandle ALLOCATED = FieldHandle.of(MethodHandles.lookup(), "allocatedByteSize", long.class);
    private static final VarHandle RUNS = FieldHandle.of(MethodHandles.lookup(), "runByteSize", long.class);
    private static final VarHandle REQUESTED = FieldHandle.of(MethodHandles.lookup(), "requestedByteSize", long.class);
    private static final VarHandle FREED = FieldHandle.of(MethodHandles.lookup(), "freedByteSize", long.class);
    private static final VarHandle TAKEN_BACK = FieldHandle.of(MethodHandles.lookup(), "takenBackByteSize", long.class);
    private static final VarHandle FREED_ELSEWHERE = FieldHandle.of(MethodHandles.lookup(), "freedElsewhereByteSize",
            long.class);

    private final CentralHeap central;
    private final int number;
    /** The {@link RunRecord#owner} of its runs of the first class. */
    private final int firstOwner;
    private final SlotBins bins = new SlotBins();
    private final IdleRuns idle;
    /** Their first head, one look nearer. */
    private final long firstBin = bins.of(0);
    private final ReturnedRuns returned = new ReturnedRuns();
    private final Rooms rooms;
    /** Of all who share it; null where one thread owns it. */
    private final ReentrantLock sharedLock;
    /** Of the {@link SlabPages} that the last block was in: most arenas have one large slab. */
    private long slabAddress;
    /** Likewise; 0 if there is none. */
    private long slabByteSize;
    private long slabFirst;
    private long slabPageMap;

    /** Of all that is live and was; up only, as all below: see {@link Refusals}. Others read it. */
    private long allocatedByteSize;
    /** Of all that was live and is not. */
    private long freedByteSize;
    /** What is in {@code freedByteSize} of blocks that other threads freed; written behind it. */
    private long takenBackByteSize;
    /** Of other heaps' blocks; written before they are free. */
    private long freedElsewhereByteSize;

    /** The most that was live since {@link #publish}; others read it. */
    private long livePeakByteSize;
    private long runByteSize;
    /** With less live the heap has more free than it keeps. */
    private long sparseByteSize = computeSparseByteSize(0);
    /** With less live it has, or has to {@link #publish}: one comparison for both. */
    private long lowByteSize = sparseByteSize;
    private long requestedByteSize;
    private long publishCount;

    /** With {@code sharedLock} null for one thread. */
    SlotHeap(CentralHeap central, ReentrantLock sharedLock) {
        this.central = central;
        this.sharedLock = sharedLock;
        number = central.nextHeap();
        firstOwner = RunRecord.ownerOf(number, 0);
        rooms = new Rooms(central, number);
        idle = idleRuns(bins);
        // Last, for others look at it from now on.
        central.add(this, returned);
    }

    /** Called by the constructor. */
    IdleRuns idleRuns(SlotBins bins) {
        return new IdleRuns(this, bins);
    }

    static SlotHeap ownedBy(Thread thread, CentralHeap central) {
        SlotHeap heap = new Padded(central, null);
        heap.adoptBy(thread);
        return heap;
    }

    /** Nobody enters it as its owner. */
    static SlotHeap shared(CentralHeap central) {
        SlotHeap heap = new Padded(central, new ReentrantLock());
        heap.revoke();
        return heap;
    }

    /** Of a shared one. */
    void lock() {
        sharedLock.lock();
    }

    /** Of a shared one. */
    void unlock() {
        sharedLock.unlock();
    }

    boolean isShared() {
        return sharedLock != null;
    }

    /** The address of a free slot of that class, for a block of so many bytes; 0 if there is none at hand. */
    long allocate(int sizeClass, long byteSize) {
        long bin = bin(sizeClass);
        long run = SlotBins.first(bin);
        if (run == 0) {
            return 0;
        }
        long free = RunRecord.freeSlots(run);
        long others = free & free - 1;
        if ((RunRecord.returnedSlots(run) & free) != 0) {
            return 0; // One was freed twice, which is told when it is taken back.
        }
        RunRecord.freeSlots(run, others);
        SlotBins.popIf(Bits.maskIf0(others), bin, run);
        SlotBins.countAllocated(bin);
        long slotByteSize = SizeClasses.slotByteSize(sizeClass);
        requestedByteSize += byteSize;
        allocated(slotByteSize);
        return RunRecord.address(run) + Long.numberOfTrailingZeros(free) * slotByteSize;
    }

    private long bin(int sizeClass) {
        return SlotBins.of(firstBin, sizeClass);
    }

    private void allocated(long byteSize) {
        long allocated = allocatedByteSize + byteSize;
        allocatedByteSize = allocated;
        long live = allocated - freedByteSize;
        if (live > livePeakByteSize) {
            peakIs(live);
        }
    }

    private void peakIs(long live) {
        livePeakByteSize = live;
        lowByteSize = Math.max(live - PEAK_DRIFT_MAX, sparseByteSize);
    }

    /** The run with a block that may begin at the address, of any heap; 0 if there is none. */
    long runAt(long address) {
        long offset = address - slabAddress;
        if (Long.compareUnsigned(offset, slabByteSize) >= 0) {
            return runAtOtherSlab(address);
        }
        return SlabPages.runAt(slabFirst, slabPageMap, offset);
    }

    private long runAtOtherSlab(long address) {
        SlabPages slab = central.slabAt(address);
        if (slab == null) {
            return 0;
        }
        slabAddress = slab.address;
        slabByteSize = slab.byteSize();
        slabFirst = slab.first;
        slabPageMap = slab.pageMap;
        return SlabPages.runAt(slabFirst, slabPageMap, address - slabAddress);
    }

    /**
     * Frees the block at the address, of whichever heap.
     *
     * @return false if none begins there, or no longer
     * @throws IllegalArgumentException as that, where there are other blocks around
     * @throws IllegalStateException if it is free already
     */
    boolean free(long block) {
        long run = runAt(block);
        if (run == 0) {
            return false;
        }
        int sizeClass = RunRecord.owner(run) - firstOwner;
        if (Integer.compareUnsigned(sizeClass, SizeClasses.COUNT) >= 0) {
            freeOther(run, block);
            return true;
        }
        long bit = SlotRun.bitAt(run, block, sizeClass, RunRecord.slotCount(run));
        long others = RunRecord.freeSlots(run);
        SlotRun.checkLive(run, others, bit, block);
        RunRecord.freeSlots(run, others | bit);
        freed(run, sizeClass, others, 1);
        return true;
    }

    /** Of another heap, or large. */
    private void freeOther(long run, long block) {
        if (!RunRecord.isSlots(run)) {
            freeLarge(run, block);
        } else {
            freeElsewhere(run, block);
        }
    }

    /** Whether {@link #allocate} would find one, of runs put aside too. */
    boolean hasSlot(int sizeClass) {
        return SlotBins.turn(bin(sizeClass)) != 0;
    }

    /** The address of a block, small or large; 0 if there is none at hand, nor with all. */
    long allocateAny(long byteSize) {
        if (!SizeClasses.isSmall(byteSize)) {
            return allocateLarge(SizeClasses.pagesOf(byteSize));
        }
        int sizeClass = SizeClasses.indexOf(byteSize);
        long address = allocate(sizeClass, byteSize);
        return address != 0 ? address : allocateSlowly(sizeClass, byteSize);
    }

    /** With what others have freed, or a fresh run. Returns 0 if that is of no avail. */
    long allocateSlowly(int sizeClass, long byteSize) {
        takeReturned();
        SlotBins.turn(bin(sizeClass));
        long address = allocate(sizeClass, byteSize);
        if (address == 0 && carve(sizeClass, SizeClasses.runPages(sizeClass))) {
            address = allocate(sizeClass, byteSize);
        }
        return address;
    }

    /** Makes a run of so many pages its own; false if the shared heap has none. */
    boolean carve(int sizeClass, long pageCount) {
        long run = takeSlots(sizeClass, pageCount);
        if (run == 0) {
            return false;
        }
        adopt(run);
        return true;
    }

    private long takeSlots(int sizeClass, long pageCount) {
        long run = rooms.take(pageCount, RunRecord.SLOTS);
        run = run != 0 ? run : rooms.takeOfMore(pageCount, RunRecord.SLOTS);
        if (run == 0) {
            return central.takeSlots(rooms, sizeClass, pageCount);
        }
        SlotRun.carve(run, number, sizeClass);
        central.slabAt(RunRecord.address(run)).enter(run);
        return run;
    }

    /**
     * Takes back what others have freed. All these runs are of this heap: one that goes to another has nothing returned, since that happens
     * with all locked, after all have taken back, and who frees from outside is within a heap until the run is pushed.
     *
     * @throws IllegalStateException if one of them was freed twice, by this heap's thread and another at the same time; done nevertheless
     */
    void takeReturned() {
        long twice = 0;
        for (long run = returned.takeAll(); run != 0;) {
            long next = RunRecord.returnedNext(run);
            long byteSize = RunRecord.byteSize(run);
            if (RunRecord.isSlots(run)) {
                int sizeClass = RunRecord.sizeClass(run);
                long before = RunRecord.freeSlots(run);
                long bits = SlotRun.takeReturned(run);
                byteSize = (long) Long.bitCount(bits) * SizeClasses.slotByteSize(sizeClass);
                twice = (bits & before) == 0 ? twice : SlotRun.addressOf(run, bits & before);
                freed(run, sizeClass, before, Long.bitCount(bits & ~before));
            } else {
                rooms.freed(run);
            }
            TAKEN_BACK.setRelease(this, takenBackByteSize + byteSize);
            run = next;
        }
        if (twice != 0) {
            throw SlotRun.freedTwiceAtOnce(twice);
        }
    }

    private void freed(long run, int sizeClass, long freeBefore, int count) {
        long bin = bin(sizeClass);
        SlotBins.countFreed(bin, count);
        SlotBins.pushIf(Bits.maskIf0(freeBefore), bin, run);
        long freed = freedByteSize + (long) count * SizeClasses.slotByteSize(sizeClass);
        FREED.setRelease(this, freed);
        long live = allocatedByteSize - freed;
        if (live < lowByteSize) {
            becameLow(run, bin, live);
        }
    }

    private void becameLow(long run, long bin, long live) {
        if (livePeakByteSize - live > PEAK_DRIFT_MAX) {
            publish();
        }
        if (live < sparseByteSize && SlotRun.isIdle(run)) {
            idle.sweep(bin);
        }
    }

    private static long computeSparseByteSize(long runByteSize) {
        return Math.min(runByteSize - CACHED_BYTE_SIZE, runByteSize / 2);
    }

    private void addRunByteSize(long byteSize) {
        runByteSize += byteSize;
        sparseByteSize = computeSparseByteSize(runByteSize);
        peakIs(livePeakByteSize);
    }

    private boolean hasFree() {
        return runByteSize > liveByteSize();
    }

    /** Of a run that is in no bin. */
    void giveBack(long run) {
        addRunByteSize(-RunRecord.byteSize(run));
        if (RunRecord.room(run) != number) {
            central.giveSlots(rooms, run);
            return;
        }
        RunRecord.owner(run, RunRecord.NO_HEAP);
        central.slabAt(RunRecord.address(run)).erase(run);
        rooms.give(run);
    }

    // ---- large blocks ----

    /** The address of a large block; 0 if there is none at hand, nor with all. */
    long allocateLarge(long pageCount) {
        long run = rooms.take(pageCount, RunRecord.LARGE);
        if (run != 0) {
            return rooms.allocated(run);
        }
        takeReturned();
        run = rooms.take(pageCount, RunRecord.LARGE);
        run = run != 0 ? run : rooms.takeOfMore(pageCount, RunRecord.LARGE);
        return run != 0 ? rooms.allocated(run) : allocateCentrally(pageCount);
    }

    /** Before the longest hole becomes shorter, idle runs become holes: they may make one that fits. */
    private long allocateCentrally(long pageCount) {
        if (hasFree()) {
            long address = central.takeLarge(rooms, pageCount, true);
            if (address != 0) {
                return address;
            }
            idle.makeRoom();
        }
        return central.takeLarge(rooms, pageCount, false);
    }

    /**
     * Takes a large block back, of any heap.
     *
     * @throws IllegalArgumentException if none begins at the address, or no longer
     * @throws IllegalStateException if another thread has freed it
     */
    void freeLarge(long run, long address) {
        int room = RunRecord.room(run);
        if (room == RunRecord.NO_HEAP) {
            central.giveLarge(rooms, run, address);
        } else if (room == number) {
            rooms.free(run, address);
        } else {
            freeElsewhere(run, address);
        }
    }

    /**
     * A block of another heap goes back to it.
     *
     * @throws IllegalArgumentException if none begins at the address, or no longer
     * @throws IllegalStateException if it is free already
     */
    void freeElsewhere(long run, long address) {
        boolean isSlots = RunRecord.isSlots(run);
        long byteSize = isSlots ? SizeClasses.slotByteSize(RunRecord.sizeClass(run)) : RunRecord.byteSize(run);
        FREED_ELSEWHERE.setRelease(this, freedElsewhereByteSize + byteSize);
        try {
            if (!isSlots) {
                SlotRun.giveLarge(run, address);
                central.pushReturned(RunRecord.room(run), run);
            } else if (SlotRun.giveFromOutside(run, address)) {
                central.pushReturned(RunRecord.heap(run), run);
            }
        } catch (RuntimeException e) {
            FREED_ELSEWHERE.setRelease(this, freedElsewhereByteSize - byteSize);
            throw e;
        }
    }

    /** Of a large block; of a room, of this heap's. Whether it has so many pages now, where it is. */
    boolean resizeLarge(long run, long address, long pageCount) {
        return RunRecord.room(run) == RunRecord.NO_HEAP ? central.resizeLarge(run, address, pageCount)
                : rooms.resize(run, address, pageCount);
    }

    /** Whether the run, or 0, is in a room of another heap. */
    boolean isElsewhere(long run) {
        return run != 0 && RunRecord.room(run) != RunRecord.NO_HEAP && RunRecord.room(run) != number;
    }

    // ---- with all locked ----

    /** All runs without a live block go back, and there are no rooms any more. */
    void trim() {
        takeReturned();
        forgetSlab();
        idle.giveBackAll();
        rooms.end();
    }

    /** Its records may be no more when the heap is entered again. */
    void forgetSlab() {
        slabByteSize = 0;
    }

    /** Whether the records that the heap looks at first are those of a slab of the arena. For checks. */
    boolean knowsNoForgottenSlab() {
        SlabPages slab = central.slabAt(slabAddress);
        return slabByteSize == 0 || slab != null && slab.first == slabFirst;
    }

    /** After what others have freed was taken back. */
    void endRooms() {
        rooms.end();
    }

    /** Takes a run with a free slot of that class over from the other heap, if it has one. */
    boolean takeOver(SlotHeap other, int sizeClass) {
        if (!other.hasSlot(sizeClass)) {
            return false;
        }
        long otherBin = other.bin(sizeClass);
        long run = SlotBins.first(otherBin);
        SlotBins.pop(otherBin, run);
        other.disown(run, sizeClass);
        RunRecord.owner(run, RunRecord.ownerOf(number, sizeClass));
        SlotBins.countFreed(bin(sizeClass), -SlotRun.liveCount(run));
        allocated(SlotRun.liveByteSize(run));
        adopt(run);
        return true;
    }

    private void disown(long run, int sizeClass) {
        SlotBins.countFreed(bin(sizeClass), SlotRun.liveCount(run));
        FREED.setRelease(this, freedByteSize + SlotRun.liveByteSize(run));
        addRunByteSize(-RunRecord.byteSize(run));
        publish();
    }

    private void adopt(long run) {
        SlotBins.push(bin(RunRecord.sizeClass(run)), run);
        addRunByteSize(RunRecord.byteSize(run));
    }

    // ---- figures ----

    /** Lets everybody look at how much this heap had at most, and starts anew. */
    void publish() {
        publishCount++;
        central.peak.look();
        peakIs(liveByteSize());
    }

    /** How often it did, with its rooms. For checks. */
    long publishCount() {
        return publishCount + rooms.publishCount();
    }

    /** By any thread. */
    long livePeakByteSizeOpaque() {
        return (long) LIVE_PEAK.getOpaque(this) + rooms.livePeakByteSizeOpaque();
    }

    /** Of large blocks in its rooms; by any thread. */
    Rooms rooms() {
        return rooms;
    }

    /** By any thread. */
    ArenaStatistics.HeapUsage usage() {
        // Read before what grows before it.
        long freed = (long) FREED.getAcquire(this);
        long live = (long) ALLOCATED.getOpaque(this) - freed;
        return new ArenaStatistics.HeapUsage(ownerId(), live,
                Math.max(0, (long) RUNS.getOpaque(this) - live) + rooms.freeByteSizeOpaque(),
                allocationCount(), classes().mapToLong(i -> bins.allocatedCount(i) * SizeClasses.slotByteSize(i)).sum(),
                (long) REQUESTED.getOpaque(this));
    }

    /** At least what was allocated up to now, but for what others freed and is not taken back yet; by any thread. */
    long allocatedBound() {
        return (long) TAKEN_BACK.getAcquire(this) + (long) ALLOCATED.getAcquire(this) + rooms.allocatedBound();
    }

    /** What was freed up to now, by this heap or of it; by any thread. */
    long freedBound() {
        return (long) FREED_ELSEWHERE.getAcquire(this) + (long) FREED.getAcquire(this) + rooms.freedBound();
    }

    /** Blocks of that class; by any thread. */
    long liveCount(int sizeClass) {
        return bins.liveCount(sizeClass);
    }

    long liveByteSize() {
        return allocatedByteSize - freedByteSize;
    }

    long liveCount() {
        return classes().mapToLong(bins::liveCount).sum();
    }

    long allocationCount() {
        return classes().mapToLong(bins::allocatedCount).sum();
    }

    private static IntStream classes() {
        return IntStream.range(0, SizeClasses.COUNT);
    }

    long runByteSize() {
        return runByteSize;
    }

    /** How many runs are in the bin of that class; -1 if the bin is unsound. For checks. */
    int checkedBinCount(int sizeClass) {
        return bins.checkedCount(number, sizeClass);
    }

    /** Nothing that lies behind it shares a line with it. */
    @SuppressWarnings("unused")
    private static final class Padded extends SlotHeap {
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;

        private Padded(CentralHeap central, ReentrantLock sharedLock) {
            super(central, sharedLock);
        }
    }
}
