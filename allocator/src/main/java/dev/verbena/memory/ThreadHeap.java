package dev.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The runs of slots that one thread carves its small blocks from, so that it meets no other thread; or, of a shared one, several
 * threads.
 *
 * <p>What the owner frees goes back to the run at once. What another thread frees waits in {@link ReturnedRuns} until the owner runs
 * out of slots of some class. A run all of whose slots are free stays, unless these are {@link #IDLE_BYTE_SIZE} and more than
 * what is live; then it goes back to the {@link CentralHeap}. Whoever finds no memory takes all of them away.
 *
 * <p>Invariants: a run of this heap is in the bin of its class exactly when it is not full;
 * {@code liveByteSize} is the sum over its slots that are not free, those included that wait to be taken back; {@code idleByteSize} that
 * over its runs that are all free.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> every method is called with its lock held, {@link #tryEnter} or {@link #lock}, but
 * {@link #freeFromOutside}, which is thread-safe.
 */
final class ThreadHeap extends OwnerLock {
    /** Bytes of runs without a live block that a heap keeps in any case; more only as long as there are as many live ones. */
    static final long IDLE_BYTE_SIZE = 8 * 1024 * 1024;

    /** A heap that has so much less live than it had publishes. */
    static final long PEAK_DRIFT_MAX = 1024 * 1024;

    private static final VarHandle LIVE_PEAK;

    static {
        try {
            LIVE_PEAK = MethodHandles.lookup().findVarHandle(ThreadHeap.class, "livePeakByteSize", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CentralHeap central;
    private final SlotBins bins = new SlotBins();
    private final ReturnedRuns returned = new ReturnedRuns();
    /** Of all who share it; null where one thread owns it. */
    private final ReentrantLock sharedLock;
    private WeakReference<Thread> owner;
    private volatile long ownerId;
    /** Where the last block was: most arenas have one large slab. */
    private SlabPages lastSlab;

    private long liveByteSize;
    /** The most since {@link #publish}; others read it. */
    private long livePeakByteSize;
    private long allocationCount;
    private long freeCount;
    private long idleByteSize;

    private ThreadHeap(CentralHeap central, ReentrantLock sharedLock) {
        this.central = central;
        this.sharedLock = sharedLock;
    }

    static ThreadHeap ownedBy(Thread thread, CentralHeap central) {
        ThreadHeap heap = new ThreadHeap(central, null);
        heap.adoptBy(thread);
        return heap;
    }

    static ThreadHeap shared(CentralHeap central) {
        return new ThreadHeap(central, new ReentrantLock());
    }

    /** Whether the thread that owned it is no more. */
    boolean isOrphaned() {
        Thread thread = owner.get();
        return thread == null || !thread.isAlive();
    }

    /** Called with the lock of all, of one that is orphaned, by the new owner. */
    void adoptBy(Thread thread) {
        owner = new WeakReference<>(thread);
        ownerId = thread.threadId();
    }

    /** Of the thread; 0 of a shared one. */
    long ownerId() {
        return ownerId;
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

    /** The address of a free slot of that class; 0 if there is none at hand. */
    long allocate(int sizeClass) {
        SlotRun run = bins.first(sizeClass);
        if (run == null) {
            return 0;
        }
        idleByteSize -= run.idleByteSize();
        long address = run.take();
        bins.taken(run, sizeClass);
        allocationCount++;
        liveByteSize += run.slotByteSize();
        if (liveByteSize > livePeakByteSize) {
            livePeakByteSize = liveByteSize;
        }
        return address;
    }

    /** The run with a block that may begin at the address, of any heap; null if there is none. */
    UsedRun runAt(long address) {
        SlabPages slab = lastSlab;
        if (slab == null || !slab.contains(address)) {
            slab = central.slabAt(address);
            if (slab == null) {
                return null;
            }
            lastSlab = slab;
        }
        return slab.runAt(address);
    }

    /** The block at the address, of a run of this heap. */
    void free(SlotRun run, long address) {
        boolean wasFull = run.isFull();
        run.give(run.bitAt(address));
        freed(run, wasFull, 1);
    }

    /** The block at the address, of a run of this heap, by whoever does not have its lock. */
    static void freeFromOutside(SlotRun run, long address) {
        if (run.giveFromOutside(run.bitAt(address))) {
            run.heap.returned.push(run);
        }
    }

    boolean hasSlot(int sizeClass) {
        return bins.first(sizeClass) != null;
    }

    /** The slow path: with what others have freed, or a fresh run. Returns 0 if that is of no avail. */
    long allocateSlowly(int sizeClass) {
        takeReturned();
        long address = allocate(sizeClass);
        if (address == 0 && carve(sizeClass, SizeClasses.runPages(sizeClass))) {
            address = allocate(sizeClass);
        }
        return address;
    }

    /** Makes a run of so many pages its own; false if the shared heap has none. */
    boolean carve(int sizeClass, long pageCount) {
        SlotRun run = central.takeSlots(this, sizeClass, pageCount);
        if (run == null) {
            return false;
        }
        adopt(run);
        return true;
    }

    /** Takes back what others have freed. */
    void takeReturned() {
        for (SlotRun run = returned.takeAll(); run != null;) {
            SlotRun next = run.pages.returnedNext;
            run.pages.returnedNext = null;
            if (run.heap == this) {
                boolean wasFull = run.isFull();
                freed(run, wasFull, run.takeReturned());
            } else {
                // Somebody freed a slot of it while it went to another heap.
                run.heap.returned.push(run);
            }
            run = next;
        }
    }

    private void freed(SlotRun run, boolean wasFull, int count) {
        freeCount += count;
        liveByteSize -= (long) count * run.slotByteSize();
        if (livePeakByteSize - liveByteSize > PEAK_DRIFT_MAX) {
            publish();
        }
        if (wasFull) {
            bins.link(run);
        }
        idleByteSize += run.idleByteSize();
        if (idleByteSize > IDLE_BYTE_SIZE && idleByteSize > liveByteSize && run.isIdle()) {
            giveBack(run);
        }
    }

    private void giveBack(SlotRun run) {
        idleByteSize -= run.byteSize();
        bins.unlink(run);
        central.giveSlots(run);
    }

    // ---- with all locked ----

    /** All runs without a live block go back. */
    void trim() {
        takeReturned();
        lastSlab = null;
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            for (SlotRun run = bins.first(sizeClass); run != null;) {
                SlotRun next = run.binNext;
                if (run.isIdle()) {
                    giveBack(run);
                }
                run = next;
            }
        }
    }

    /** Takes a run with a free slot of that class over from the other heap, if it has one. */
    boolean takeOver(ThreadHeap other, int sizeClass) {
        SlotRun run = other.bins.first(sizeClass);
        if (run == null) {
            return false;
        }
        other.bins.unlink(run);
        other.liveByteSize -= run.liveByteSize();
        other.idleByteSize -= run.idleByteSize();
        other.publish();
        run.heap = this;
        liveByteSize += run.liveByteSize();
        livePeakByteSize = Math.max(livePeakByteSize, liveByteSize);
        adopt(run);
        return true;
    }

    private void adopt(SlotRun run) {
        bins.link(run);
        idleByteSize += run.idleByteSize();
    }

    // ---- figures ----

    /** Lets everybody look at how much this heap had at most, and starts anew. */
    void publish() {
        central.peak.look();
        livePeakByteSize = liveByteSize;
    }

    /** By any thread. */
    long livePeakByteSizeOpaque() {
        return (long) LIVE_PEAK.getOpaque(this);
    }

    long liveByteSize() {
        return liveByteSize;
    }

    long allocationCount() {
        return allocationCount;
    }

    long freeCount() {
        return freeCount;
    }

    long idleByteSize() {
        return idleByteSize;
    }

    /** How many runs are in the bin of that class; -1 if the bin is unsound. For checks. */
    int checkedBinCount(int sizeClass) {
        return bins.checkedCount(this, sizeClass);
    }
}
