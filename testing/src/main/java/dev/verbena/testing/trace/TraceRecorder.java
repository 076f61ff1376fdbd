package dev.verbena.testing.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Notes what a running program asks of an allocator, whatever allocator that is, by address. For a {@code TensorArena},
 * {@link RecordingArena} does the noting.
 *
 * <p>Report an allocation after it was made and a free before it is done: in between, no other thread can get the same address, so the
 * trace's order is one that really was possible.
 *
 * <p><b>Owner:</b> whoever records. <b>Threading:</b> thread-safe; threads are numbered as they first appear.
 */
public final class TraceRecorder {
    private final ReentrantLock lock = new ReentrantLock();
    private final List<TraceEvent> events = new ArrayList<>();
    private final Map<Long, Integer> liveIds = new HashMap<>();
    private final Map<Thread, Integer> threads = new HashMap<>();
    private int allocationCount;

    /** A recorder that has noted nothing. */
    public TraceRecorder() {}

    /** @throws IllegalStateException if the address is live: its free was not reported, or too late */
    public void allocated(long address, long byteSize) {
        lock.lock();
        try {
            if (liveIds.putIfAbsent(address, allocationCount) != null) {
                throw new IllegalStateException(
                        "address=" + address + " was allocated while it was live: report its free"
                                + " before it is done");
            }
            events.add(new TraceEvent.Allocate(allocationCount++, byteSize, thread()));
        } finally {
            lock.unlock();
        }
    }

    /** @throws IllegalArgumentException if no allocation of the address was reported */
    public void freed(long address) {
        lock.lock();
        try {
            Integer id = liveIds.remove(address);
            if (id == null) {
                throw new IllegalArgumentException("free of address=" + address + " whose allocation was not reported:"
                        + " record from the first allocation on, or leave out what is older");
            }
            events.add(new TraceEvent.Free(id, thread()));
        } finally {
            lock.unlock();
        }
    }

    /** The boundary of an iteration. */
    public void mark() {
        lock.lock();
        try {
            events.add(new TraceEvent.Mark());
        } finally {
            lock.unlock();
        }
    }

    /** What was noted so far. What is live gets freed at the trace's end, by this thread, oldest first; here it stays live. */
    public Trace trace() {
        lock.lock();
        try {
            List<TraceEvent> all = new ArrayList<>(events);
            if (!liveIds.isEmpty()) {
                int thread = thread();
                liveIds.values().stream().sorted().forEach(id -> all.add(new TraceEvent.Free(id, thread)));
            }
            return new Trace(all);
        } finally {
            lock.unlock();
        }
    }

    /** @throws IllegalStateException for one thread more than a trace can have */
    private int thread() {
        Integer known = threads.get(Thread.currentThread());
        if (known == null) {
            known = threads.size();
            if (known == TraceRules.THREADS_MAX) {
                throw new IllegalStateException(
                        "a trace has at most threads=" + TraceRules.THREADS_MAX + ": record fewer threads");
            }
            threads.put(Thread.currentThread(), known);
        }
        return known;
    }
}
