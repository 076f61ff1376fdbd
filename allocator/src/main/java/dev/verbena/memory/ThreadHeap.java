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
 * out of slots of some class. A run all of whose slots are free stays, up to {@link #IDLE_BYTE_SIZE_MAX} in all, and then goes back to
 * the {@link CentralHeap}.
 *
 * <p>Invariants: a run in SLOTS of this heap is in the bin of its class exactly when {@code freeSlots != 0};
 * {@code liveByteSize} and {@code liveCount} are over its slots that are neither free nor taken back; {@code idleByteSize} over its
 * runs that are all free.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> every method is called with its lock held ({@link #enter}), but
 * {@link #freeFromOutside}, which is thread-safe.
 */
final class ThreadHeap {
    /** Bytes of runs without a live block that a heap keeps. */
    static final long IDLE_BYTE_SIZE_MAX = 8 * 1024 * 1024;

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
    /** Of the one thread that owns it; null of a shared one. */
    private final OwnerLock ownerLock;
    /** Of all who share it; null of an owned one. */
    private final ReentrantLock sharedLock;
    private WeakReference<Thread> owner;

    private long liveByteSize;
    /** The most since {@link #publish}; others read it. */
    private long livePeakByteSize;
    private long allocationCount;
    private long freeCount;
    private long idleByteSize;

    private ThreadHeap(CentralHeap central, OwnerLock ownerLock, Thread thread) {
        this.central = central;
        this.ownerLock = ownerLock;
        sharedLock = ownerLock == null ? new ReentrantLock() : null;
        owner = new WeakReference<>(thread);
    }

    static ThreadHeap ownedBy(Thread thread, CentralHeap central, OwnerLock.Gate gate) {
        return new ThreadHeap(central, new OwnerLock(gate), thread);
    }

    static ThreadHeap shared(CentralHeap central) {
        return new ThreadHeap(central, null, null);
    }

    /** Whether the thread that owned it is no more. */
    boolean isOrphaned() {
        Thread thread = owner.get();
        return thread == null || !thread.isAlive();
    }

    /** Called with the lock of all, of one that is orphaned, by the new owner. */
    void adoptBy(Thread thread) {
        owner = new WeakReference<>(thread);
    }

    /** With the lock of all; see {@link OwnerLock}. */
    void pass(OwnerLock.Gate gate) {
        ownerLock.pass(gate);
    }

    /** With the lock of all, of one that is owned, once the gate is closed. */
    void awaitIdle() {
        ownerLock.awaitIdle();
    }

    /** @return false if the owner must get a new gate first */
    boolean enter() {
        if (ownerLock != null) {
            return ownerLock.enter();
        }
        sharedLock.lock();
        return true;
    }

    void leave() {
        if (ownerLock != null) {
            ownerLock.leave();
        } else {
            sharedLock.unlock();
        }
    }

    /** The address of a free slot of that class; 0 if there is none at hand. */
    long allocate(int sizeClass) {
        SlotRun run = bins.first(sizeClass);
        if (run == null) {
            return 0;
        }
        if (run.isIdle()) {
            idleByteSize -= run.byteSize();
        }
        long address = run.take();
        if (run.isFull()) {
            bins.unlinkFirst(run);
        }
        allocationCount++;
        liveByteSize += run.slotByteSize();
        if (liveByteSize > livePeakByteSize) {
            livePeakByteSize = liveByteSize;
        }
        return address;
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
        if (run.isIdle()) {
            idleByteSize += run.byteSize();
            if (idleByteSize > IDLE_BYTE_SIZE_MAX) {
                giveBack(run);
            }
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
        if (run.isIdle()) {
            other.idleByteSize -= run.byteSize();
        }
        other.publish();
        run.heap = this;
        liveByteSize += run.liveByteSize();
        livePeakByteSize = Math.max(livePeakByteSize, liveByteSize);
        adopt(run);
        return true;
    }

    private void adopt(SlotRun run) {
        bins.link(run);
        if (run.isIdle()) {
            idleByteSize += run.byteSize();
        }
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
