package dev.verbena.memory.heap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.ArenaStatistics.ClassUsage;
import dev.verbena.memory.ArenaStatistics.HeapUsage;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabMap;
import dev.verbena.memory.slab.NativeAccess;

/**
 * The blocks of an arena, given out and taken back: small ones by the heap of the thread, large ones by the heap that all share, and
 * when neither has one, with every thread kept out.
 *
 * <p>A platform thread has a {@link SlotHeap} of its own; one whose thread is dead goes to the next thread. Virtual threads share a few
 * by their ids: nothing is tied to a carrier.
 *
 * <p>Order of locks: {@code exclusive}, those of the heaps by index, that of the central heap. A thread that is within its own heap
 * does not ask for {@code exclusive}.
 *
 * <p><b>Owner:</b> {@code TensorArena}. <b>Threading:</b> thread-safe.
 */
class ArenaHeap implements Storage {
    /** What an arena had that was closed with all that was live: its slabs, to be released, and how much that was. */
    record Ending(List<Slab> slabs, long liveCount, long liveByteSize) {}

    private static final int SHARED_HEAPS_MAX = 16;
    private static final int NEAR_MASK = 63;
    /** No line that is written often is next to those places, nor fetched with them. */
    private static final int NEAR_PADDING = 32;

    private final CentralHeap central;
    private volatile HeapTable heapsByThread = new HeapTable(List.of());
    /**
     * Of the thread that came last, found one look sooner than any other: most arenas that are in a hurry have one thread. Any one will do,
     * however old, since it says whose it is.
     */
    private SlotHeap lastHeap;
    /** By the last bits of their threads' ids, the latest of those that have the same: found sooner than by the table. Here too any one will do. */
    private final SlotHeap[] nearHeaps = new SlotHeap[NEAR_MASK + 1 + 2 * NEAR_PADDING];
    private final SlotHeap[] sharedHeaps;
    private final Runnable handshake;

    /** Held by who keeps all others out, and by who comes in for the first time or again. */
    private final ReentrantLock exclusive = new ReentrantLock();
    /** Guarded by {@code exclusive}, as all below. */
    private final List<SlotHeap> ownHeaps = new ArrayList<>();
    private volatile boolean isClosed;
    private volatile boolean wasClosedWithAll;
    private final Refusals refusals;
    private volatile long lockedAllCount;

    /** @param byteSizeMax that its slabs may have together; what is little is measured by it */
    ArenaHeap(PageRuns pages, long byteSizeMax) {
        this(pages, byteSizeMax, OwnerLock::handshake);
    }

    /** With another handshake, for tests. */
    ArenaHeap(PageRuns pages, long byteSizeMax, Runnable handshake) {
        NativeAccess.require();
        this.handshake = handshake;
        central = new CentralHeap(pages, byteSizeMax / SizeClasses.PAGE_BYTE_SIZE);
        refusals = new Refusals(central);
        int count = Math.min(SHARED_HEAPS_MAX,
                Integer.highestOneBit(Runtime.getRuntime().availableProcessors() * 2 - 1));
        sharedHeaps = Stream.generate(() -> SlotHeap.shared(central)).limit(count).toArray(SlotHeap[]::new);
        lastHeap = sharedHeaps[0];
        Arrays.fill(nearHeaps, lastHeap);
    }

    // ---- blocks ----

    /** The address of a block; 0 if it is not to be had like this: then {@link #takeExclusively}. */
    public long take(long byteSize) {
        SlotHeap heap = heapOfThread();
        if (!SizeClasses.isSmall(byteSize) || !heap.tryEnter()) {
            return takeOther(heap, byteSize);
        }
        try {
            int sizeClass = SizeClasses.indexOf(byteSize);
            long address = heap.allocate(sizeClass, byteSize);
            return address != 0 ? address : heap.allocateSlowly(sizeClass, byteSize);
        } finally {
            heap.leave();
        }
    }

    /** Large, or for a thread that shares its heap, or whose heap others were let into. */
    private long takeOther(SlotHeap heap, long byteSize) {
        enter(heap);
        try {
            return heap.allocateAny(byteSize);
        } finally {
            leave(heap);
        }
    }

    /** As {@link #take}, beginning at a multiple of the alignment, which is one of pages: a large block, whatever its size. */
    public long takeAligned(long byteSize, long alignment) {
        return central.takeAligned(SizeClasses.pagesOf(byteSize), alignment);
    }

    /**
     * With every thread kept out, so that no free slot or run hides in a heap; 0 if only a further slab can help.
     *
     * @throws IllegalStateException if the arena is closed
     */
    public long takeExclusively(long byteSize, long alignment) {
        SlotHeap heap = heapOfThread();
        lockAll();
        try {
            if (isClosed) {
                throw new IllegalStateException("allocation of byteSize=" + byteSize + " in a closed arena");
            }
            long address = takeLocked(heap, byteSize, alignment);
            if (address == 0) {
                refusals.refused(byteSize, alignment);
            }
            return address;
        } finally {
            unlockAll();
        }
    }

    private long takeLocked(SlotHeap heap, long byteSize, long alignment) {
        if (SizeClasses.isSmall(byteSize) && alignment <= SizeClasses.PAGE_BYTE_SIZE) {
            return findSlot(heap, SizeClasses.indexOf(byteSize)) ? heap.allocateAny(byteSize) : 0;
        }
        heaps().forEach(SlotHeap::trim);
        central.lendNoMore();
        return alignment <= SizeClasses.PAGE_BYTE_SIZE ? heap.allocateLarge(SizeClasses.pagesOf(byteSize))
                : takeAligned(byteSize, alignment);
    }

    /** Whether {@link #takeExclusively} would be of no avail, for sure, which nobody is kept out for. */
    boolean isRefused(long byteSize, long alignment) {
        SlotHeap heap = heapOfThread();
        enter(heap);
        try {
            return !isClosed && refusals.isSure(byteSize, alignment);
        } finally {
            leave(heap);
        }
    }

    /** Whether the like of it was refused lately, so that it is worth while to ask {@link #isRefused} at once. */
    final boolean isLikelyRefused(long byteSize) {
        return refusals.areLikely(byteSize);
    }

    /** How often everybody was kept out. For checks. */
    long lockedAllCount() {
        return lockedAllCount;
    }

    /** Sees to it that the heap has a slot of that class: an old run before a new one, a short one before none. */
    private boolean findSlot(SlotHeap heap, int sizeClass) {
        heaps().forEach(SlotHeap::takeReturned);
        if (heap.hasSlot(sizeClass)) {
            return true;
        }
        heaps().forEach(SlotHeap::endRooms);
        central.lendNoMore();
        if (heaps().anyMatch(other -> other != heap && heap.takeOver(other, sizeClass))
                || heap.carve(sizeClass, SizeClasses.runPages(sizeClass))) {
            return true;
        }
        heaps().forEach(SlotHeap::trim);
        return heap.carve(sizeClass, SizeClasses.runPages(sizeClass))
                || heap.carve(sizeClass, SizeClasses.runPagesMin(sizeClass));
    }

    /**
     * Takes a block back, from any thread.
     *
     * @throws IllegalArgumentException if no block of this arena begins there
     * @throws IllegalStateException if it is free already
     */
    @Override
    public void release(long address) {
        SlotHeap heap = heapOfThread();
        boolean isBlock;
        if (!heap.tryEnter()) {
            isBlock = releaseSlowly(heap, address);
        } else {
            try {
                isBlock = heap.free(address);
            } finally {
                heap.leave();
            }
        }
        if (!isBlock) {
            throw noBlockToFree(address);
        }
    }

    private boolean releaseSlowly(SlotHeap heap, long address) {
        enterSlowly(heap);
        try {
            return heap.free(address);
        } finally {
            leave(heap);
        }
    }

    /** Once no thread is within its heap: whether the memory at the address is free, or of elsewhere. */
    private RuntimeException noBlockToFree(long address) {
        lockAll();
        try {
            return wasClosedWithAll ? freedByForce(address)
                    : central.isFree(address) ? SlotRun.doubleFree(address) : noBlock(address);
        } finally {
            unlockAll();
        }
    }

    /** Whether the block has so many bytes now, where it is. */
    public boolean resize(long address, long byteSize) {
        SlotHeap heap = heapOfThread();
        enter(heap);
        try {
            long run = heap.runAt(address);
            if (!heap.isElsewhere(run)) {
                return resize(heap, run, address, byteSize);
            }
        } finally {
            leave(heap);
        }
        return resizeExclusively(heap, address, byteSize);
    }

    private boolean resizeExclusively(SlotHeap heap, long address, long byteSize) {
        lockAll();
        try {
            heaps().forEach(SlotHeap::takeReturned);
            heaps().forEach(SlotHeap::endRooms);
            return resize(heap, heap.runAt(address), address, byteSize);
        } finally {
            unlockAll();
        }
    }

    /** Of a block that is in no other heap's room. */
    private static boolean resize(SlotHeap heap, long run, long address, long byteSize) {
        if (run == 0) {
            throw noBlock(address);
        }
        if (!RunRecord.isSlots(run)) {
            return heap.resizeLarge(run, address, SizeClasses.pagesOf(byteSize));
        }
        SlotRun.checkBegins(run, address);
        return byteSize <= SizeClasses.slotByteSize(RunRecord.sizeClass(run));
    }

    /** Whether all that was live is free, whoever thinks that he has it. */
    protected final boolean wasClosedWithAll() {
        return wasClosedWithAll;
    }

    protected static IllegalStateException freedByForce(long address) {
        return new IllegalStateException("double free: the block at address=0x" + Long.toHexString(address)
                + " went back when its arena was closed forcibly");
    }

    public static IllegalArgumentException noBlock(long address) {
        return new IllegalArgumentException("address=0x" + Long.toHexString(address)
                + ": no block of this arena begins there");
    }

    @Override
    public boolean isArena() {
        return true;
    }

    @Override
    public Slab slabAt(long address) {
        SlabPages slab = central.slabAt(address);
        if (slab == null) {
            throw new IllegalStateException("address=0x" + Long.toHexString(address) + " is in no slab of this arena,"
                    + " or it is closed");
        }
        return slab.slab;
    }

    @Override
    public boolean isZero(long address) {
        return central.isZero(address);
    }

    // ---- slabs ----

    void add(Slab slab, long pageCount, boolean isZero) {
        central.add(slab, pageCount, isZero);
    }

    /**
     * Takes from all threads what they have idle, and forgets the slabs on which nothing is live, from that number on, or none if they have
     * less bytes together.
     *
     * @return these, to be released
     */
    List<Slab> trim(int firstNumber, long byteSizeMin) {
        lockAll();
        try {
            heaps().forEach(SlotHeap::trim);
            return central.removeIdle(firstNumber, byteSizeMin);
        } finally {
            unlockAll();
        }
    }

    /**
     * Closes it for good.
     *
     * @return its slabs, to be released; none if it is closed already
     * @throws IllegalStateException while a block is live
     */
    final List<Slab> closeForGood() {
        lockAll();
        try {
            heaps().forEach(SlotHeap::trim);
            if (liveCount() != 0) {
                throw new IllegalStateException("close of an arena with live or pinned tensors: liveCount="
                        + liveCount() + " liveByteSize=" + liveByteSize() + "; close and unpin them first");
            }
            isClosed = true;
            return central.removeIdle(0);
        } finally {
            unlockAll();
        }
    }

    /** As {@link #closeForGood}, whatever is live: it is freed. */
    final Ending closeWithAll() {
        SlotHeap heap = heapOfThread();
        lockAll();
        try {
            heaps().forEach(SlotHeap::trim);
            long liveCount = liveCount();
            long liveByteSize = liveByteSize();
            long[] blocks = central.slabs().stream().flatMapToLong(SlabPages::liveBlocks).toArray();
            for (long block : blocks) {
                freeLocked(heap, block);
            }
            heaps().forEach(SlotHeap::trim);
            isClosed = true;
            wasClosedWithAll = true;
            return new Ending(central.removeIdle(0), liveCount, liveByteSize);
        } finally {
            unlockAll();
        }
    }

    /** With all locked, and no rooms. */
    private void freeLocked(SlotHeap heap, long block) {
        long run = heap.runAt(block);
        SlotHeap owner = RunRecord.isSlots(run) ? central.heap(RunRecord.heap(run)) : heap;
        owner.free(block);
    }

    // ---- figures ----

    public long slabByteSize() {
        return central.slabByteSize();
    }

    /** Exact: no thread is within, and none has anything idle any more. */
    public ArenaStatistics statistics() {
        lockAll();
        try {
            heaps().forEach(SlotHeap::trim);
            return recentStatistics();
        } finally {
            unlockAll();
        }
    }

    /** Keeps nobody out of his heap. */
    public ArenaStatistics recentStatistics() {
        central.peak.look();
        List<ClassUsage> classes = IntStream.range(0, SizeClasses.COUNT).mapToObj(this::usage)
                .filter(one -> one.liveCount() > 0).toList();
        List<HeapUsage> heaps = heaps().map(SlotHeap::usage).toList();
        central.lock();
        try {
            FreeRuns free = central.pages.free;
            long largeCount = central.largeAllocationCount() - central.largeFreeCount()
                    + rooms().mapToLong(Rooms::liveCountOpaque).sum();
            long largeByteSize = central.largeByteSize() + rooms().mapToLong(Rooms::liveByteSizeOpaque).sum();
            long largeAllocationCount = central.largeAllocationCount()
                    + rooms().mapToLong(Rooms::allocationCountOpaque).sum();
            return new ArenaStatistics(central.slabByteSize(), central.slabs().size(), central.peak.byteSize(),
                    free.longest() * SizeClasses.PAGE_BYTE_SIZE, free.runCount(),
                    largeCount, largeByteSize, largeAllocationCount, classes, heaps);
        } finally {
            central.unlock();
        }
    }

    public List<SlabMap> map() {
        lockAll();
        try {
            heaps().forEach(SlotHeap::takeReturned);
            heaps().forEach(SlotHeap::endRooms);
            return central.slabs().stream().map(SlabPages::map).toList();
        } finally {
            unlockAll();
        }
    }

    private ClassUsage usage(int sizeClass) {
        return new ClassUsage(SizeClasses.slotByteSize(sizeClass),
                heaps().mapToLong(heap -> heap.liveCount(sizeClass)).sum());
    }

    public boolean isConsistent() {
        lockAll();
        try {
            heaps().forEach(SlotHeap::takeReturned);
            central.peak.look();
            return new ArenaCheck(central).confirms(liveByteSize(), liveCount())
                    && central.peak.byteSize() >= liveByteSize();
        } finally {
            unlockAll();
        }
    }

    private long liveByteSize() {
        return heaps().mapToLong(SlotHeap::liveByteSize).sum() + central.largeByteSize()
                + rooms().mapToLong(Rooms::liveByteSizeOpaque).sum();
    }

    private long liveCount() {
        return heaps().mapToLong(SlotHeap::liveCount).sum() + central.largeAllocationCount()
                - central.largeFreeCount() + rooms().mapToLong(Rooms::liveCountOpaque).sum();
    }

    // ---- heaps ----

    /** Of threads, dead ones included whose heap nobody has taken over. For checks. */
    public int ownHeapCount() {
        exclusive.lock();
        try {
            return ownHeaps.size();
        } finally {
            exclusive.unlock();
        }
    }

    /** How often threads met in the heap that all share; called while none is within. For checks. */
    long centralLockCount() {
        return central.lockCount();
    }

    /** How often heaps looked at what all have, since they had less live than before; called while none is within. For checks. */
    long publishCount() {
        return heaps().mapToLong(SlotHeap::publishCount).sum();
    }

    private SlotHeap heapOfThread() {
        Thread thread = Thread.currentThread();
        SlotHeap heap = lastHeap;
        if (heap.ownerId() == thread.threadId()) {
            return heap;
        }
        heap = nearHeaps[nearPlace(thread)];
        return heap.ownerId() == thread.threadId() ? heap : otherHeap(thread);
    }

    private static int nearPlace(Thread thread) {
        return ((int) thread.threadId() & NEAR_MASK) + NEAR_PADDING;
    }

    private SlotHeap otherHeap(Thread thread) {
        SlotHeap heap = heapsByThread.get(thread.threadId());
        return heap != null ? heap : firstHeap(thread);
    }

    private SlotHeap firstHeap(Thread thread) {
        if (thread.isVirtual()) {
            return sharedHeaps[(int) thread.threadId() & sharedHeaps.length - 1];
        }
        exclusive.lock();
        try {
            SlotHeap heap = ownHeaps.stream().filter(SlotHeap::isOrphaned).findFirst().orElse(null);
            if (heap != null) {
                heap.adoptBy(thread);
            } else {
                heap = SlotHeap.ownedBy(thread, central);
                ownHeaps.add(heap);
            }
            heapsByThread = new HeapTable(ownHeaps);
            lastHeap = heap;
            nearHeaps[nearPlace(thread)] = heap;
            return heap;
        } finally {
            exclusive.unlock();
        }
    }

    private void enter(SlotHeap heap) {
        if (!heap.tryEnter()) {
            enterSlowly(heap);
        }
    }

    private void enterSlowly(SlotHeap heap) {
        if (heap.isShared()) {
            heap.lock();
            return;
        }
        do {
            readmit(heap);
        } while (!heap.tryEnter());
    }

    private static void leave(SlotHeap heap) {
        if (!heap.isShared()) {
            heap.leave();
        } else {
            heap.unlock();
        }
    }

    /** Others were let in; waits for their end. */
    private void readmit(SlotHeap heap) {
        exclusive.lock();
        try {
            heap.readmit();
        } finally {
            exclusive.unlock();
        }
    }

    private Stream<SlotHeap> heaps() {
        return Stream.of(central.heaps());
    }

    private Stream<Rooms> rooms() {
        return heaps().map(SlotHeap::rooms);
    }

    /** Keeps everybody out, or, if that is not to be had for want of memory in the Java heap, nobody. */
    private void lockAll() {
        exclusive.lock();
        int locked = 0;
        try {
            keepOwnersOut();
            while (locked < sharedHeaps.length) {
                sharedHeaps[locked].lock();
                locked++;
            }
            central.lock();
            lockedAllCount++;
        } catch (Throwable e) {
            unlockShared(locked);
            exclusive.unlock();
            throw e;
        }
    }

    /** No handshake where no other thread has a heap of its own. An owner who is kept out waits for {@code exclusive} alone. */
    private void keepOwnersOut() {
        long self = Thread.currentThread().threadId();
        boolean others = false;
        for (SlotHeap heap : ownHeaps) {
            if (heap.ownerId() != self) {
                heap.revoke();
                others = true;
            }
        }
        if (others) {
            handshake.run();
            ownHeaps.stream().filter(heap -> heap.ownerId() != self).forEach(SlotHeap::awaitIdle);
        }
    }

    private void unlockAll() {
        central.unlock();
        unlockShared(sharedHeaps.length);
        exclusive.unlock();
    }

    private void unlockShared(int count) {
        for (int i = 0; i < count; i++) {
            sharedHeaps[i].unlock();
        }
    }
}
