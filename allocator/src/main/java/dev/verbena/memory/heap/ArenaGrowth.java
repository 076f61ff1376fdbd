package dev.verbena.memory.heap;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.events.SlabAcquiredEvent;

/**
 * The slabs of an arena: got from their source as the arena needs them, up to its budget, and given back.
 *
 * <p>One that the source does not take back, as long as something of the system uses it, is not used any more, counts against the
 * budget, and is offered again whenever slabs go back or a further one is wanted that the budget has no room for. Idle slabs go back when
 * that makes room for one that is wanted.
 *
 * <p><b>Owner:</b> {@code TensorArena}. <b>Threading:</b> thread-safe; who grows has {@link #lock}, before any lock of the heap.
 */
public final class ArenaGrowth {
    /** A further slab has at least that size, as far as the budget goes: a system call per small tensor would be slow. */
    private static final long GROWTH_BYTE_SIZE_MIN = 1024 * 1024;
    /** A further slab is at least that part of all slabs, so that their number grows with the logarithm of the size. */
    private static final long GROWTH_SHARE = 4;

    private final ArenaHeap heap;
    private final SlabSource source;
    private final long firstByteSize;
    private final long byteSizeMax;
    /** Held while a slab is being acquired, which may take long. */
    private final ReentrantLock lock = new ReentrantLock();
    /** What the source has not taken back yet; guarded by {@code lock}. */
    private final List<Slab> unreleased = new ArrayList<>();

    public ArenaGrowth(ArenaHeap heap, SlabSource source, long byteSize, long byteSizeMax) {
        this.heap = heap;
        this.source = Objects.requireNonNull(source, "source");
        if (byteSize < 0 || byteSizeMax < byteSize) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " byteSizeMax=" + byteSizeMax
                    + ": sizes of an arena must be 0 <= byteSize <= byteSizeMax");
        }
        firstByteSize = SizeClasses.ceilToPage(byteSize);
        this.byteSizeMax = Math.max(byteSizeMax & -SizeClasses.PAGE_BYTE_SIZE, firstByteSize);
        if (firstByteSize > 0) {
            addSlab(firstByteSize);
        }
    }

    public long byteSizeMax() {
        return byteSizeMax;
    }

    public void lock() {
        lock.lock();
    }

    public void unlock() {
        lock.unlock();
    }

    /**
     * Whether there may be a further slab that would hold a block of that size, without another one that goes back; also while another
     * thread is about to add one.
     */
    public boolean mayGrowFor(long byteSize) {
        if (!lock.tryLock()) {
            return true;
        }
        try {
            return isWithinBudget(byteSize, false);
        } finally {
            lock.unlock();
        }
    }

    // ---- with the lock ----

    /** Whether there may be a further slab that would hold a block of that size, now that those went back which stood in its way. */
    public boolean makeRoomFor(long byteSize) {
        return isWithinBudget(byteSize, true);
    }

    private boolean isWithinBudget(long byteSize, boolean givesIdleBack) {
        if (neededByteSize(byteSize) == 0) {
            if (givesIdleBack && SizeClasses.pagesOf(byteSize) <= byteSizeMax / SizeClasses.PAGE_BYTE_SIZE) {
                unreleased.addAll(heap.trim(keptSlabs(),
                        SizeClasses.ceilToPage(byteSize) - leftByteSize()));
            }
            release(new ArrayList<>());
        }
        return neededByteSize(byteSize) > 0;
    }

    /** The first of an arena that was created with one stays. */
    private int keptSlabs() {
        return firstByteSize > 0 ? 1 : 0;
    }

    /** Of the slabs that the source has not taken back. */
    public long unreleasedByteSize() {
        long sum = 0;
        for (Slab slab : unreleased) {
            sum += slab.memory().byteSize();
        }
        return sum;
    }

    private long leftByteSize() {
        return Math.max(0, byteSizeMax - heap.slabByteSize() - unreleasedByteSize());
    }

    /** Adds a slab that holds a block of that size, a large one if it is to be had; returns why not even the least, or null. */
    public OutOfArenaMemoryException growFor(long byteSize) {
        long needed = neededByteSize(byteSize);
        long held = heap.slabByteSize();
        long wanted = Math.max(Math.max(GROWTH_BYTE_SIZE_MIN, firstByteSize),
                held / GROWTH_SHARE & -SizeClasses.PAGE_BYTE_SIZE);
        long preferred = Math.max(needed, Math.min(wanted, leftByteSize()));
        OutOfArenaMemoryException refusal = tryAddSlab(preferred);
        return refusal == null || preferred == needed ? refusal : tryAddSlab(needed);
    }

    /** Bytes of a slab that would hold the block; 0 if the budget has not so many left. */
    private long neededByteSize(long byteSize) {
        long left = leftByteSize() / SizeClasses.PAGE_BYTE_SIZE;
        long pages = SizeClasses.pagesOf(byteSize);
        if (SizeClasses.isSmall(byteSize)) {
            pages = Math.clamp(left, pages, SizeClasses.runPages(SizeClasses.indexOf(byteSize)));
        }
        return pages <= Math.min(left, SlabPages.PAGE_COUNT_MAX) ? pages * SizeClasses.PAGE_BYTE_SIZE : 0;
    }

    private OutOfArenaMemoryException tryAddSlab(long byteSize) {
        try {
            addSlab(byteSize);
            return null;
        } catch (OutOfArenaMemoryException e) {
            return e;
        }
    }

    private void addSlab(long byteSize) {
        SlabAcquiredEvent event = SlabAcquiredEvent.begun();
        Slab slab = source.acquire(byteSize);
        try {
            event.commit(byteSize, slab);
            heap.add(slab, usablePages(slab, byteSize), source.isZeroing());
        } catch (Throwable e) {
            unreleased.add(slab);
            List<RuntimeException> reasons = new ArrayList<>();
            release(reasons);
            reasons.forEach(e::addSuppressed);
            throw e;
        }
    }

    private long usablePages(Slab slab, long byteSize) {
        long got = slab.memory().byteSize();
        if (got < byteSize || !slab.memory().isNative() || slab.memory().address() % SizeClasses.PAGE_BYTE_SIZE != 0) {
            throw new IllegalStateException("source=" + source + " must hand out native memory aligned to "
                    + SizeClasses.PAGE_BYTE_SIZE + " of at least byteSize=" + byteSize + " but gave " + slab.memory());
        }
        return Math.min(SlabPages.PAGE_COUNT_MAX, Math.min(got, leftByteSize()) / SizeClasses.PAGE_BYTE_SIZE);
    }

    // ---- the way back ----

    /**
     * The slabs on which nothing is live, but the first of an arena that was created with one.
     *
     * @return their bytes
     * @throws IllegalStateException if the source does not take one back
     */
    public long trim() {
        lock.lock();
        try {
            long before = heap.slabByteSize() + unreleasedByteSize();
            releaseAll(heap.trim(keptSlabs(), 0));
            return before - heap.slabByteSize();
        } finally {
            lock.unlock();
        }
    }

    /** @throws IllegalStateException while a block is live; nothing is released then; or if the source does not take a slab back */
    public void close() {
        lock.lock();
        try {
            releaseAll(heap.closeForGood());
        } finally {
            lock.unlock();
        }
    }

    /** With the lock. @throws IllegalStateException if the source does not take one back */
    void releaseAll(List<Slab> slabs) {
        unreleased.addAll(slabs);
        List<RuntimeException> reasons = new ArrayList<>();
        release(reasons);
        if (!reasons.isEmpty()) {
            IllegalStateException refusal = new IllegalStateException("source=" + source + " did not take back slabs="
                    + unreleased.size() + " byteSize=" + unreleasedByteSize()
                    + ", which count against the budget until it does; end what uses them, then trim or close again: "
                    + reasons.getFirst().getMessage(), reasons.getFirst());
            reasons.stream().skip(1).forEach(refusal::addSuppressed);
            throw refusal;
        }
    }

    /** Tries it with each. @param reasons gets one for each that the source does not take */
    private void release(List<RuntimeException> reasons) {
        for (Iterator<Slab> slabs = unreleased.iterator(); slabs.hasNext();) {
            try {
                source.release(slabs.next());
                slabs.remove();
            } catch (RuntimeException e) {
                reasons.add(e);
            }
        }
    }
}
