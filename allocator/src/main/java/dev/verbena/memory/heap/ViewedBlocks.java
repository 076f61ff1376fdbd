package dev.verbena.memory.heap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.slab.SystemMemory;

/**
 * The blocks of an arena in which the views of a tensor end with it. One that a native call uses just then keeps the block, which goes
 * back once the call has ended and the arena is short of memory, looked at, or closed.
 *
 * <p><b>Owner:</b> {@code TensorArena}. <b>Threading:</b> thread-safe.
 */
public class ViewedBlocks extends ArenaBlocks {
    private final boolean viewsEnd;
    private final Queue<Viewed> inUse = new ConcurrentLinkedQueue<>();
    /** With views that have not ended. */
    private final Set<Viewed> viewed = ConcurrentHashMap.newKeySet();

    public ViewedBlocks(SlabSource source, long byteSize, long byteSizeMax) {
        this(source, byteSize, byteSizeMax, true);
    }

    /** @param viewsEnd otherwise it is as any arena */
    protected ViewedBlocks(SlabSource source, long byteSize, long byteSizeMax, boolean viewsEnd) {
        super(source, byteSize, byteSizeMax, new PageRuns());
        this.viewsEnd = viewsEnd;
    }

    @Override
    public final Storage tensorAt(long address) {
        return viewsEnd ? new Viewed() : this;
    }

    @Override
    protected final boolean giveWay() {
        return inUse.removeIf(Viewed::tryRelease);
    }

    @Override
    public final ArenaStatistics statistics() {
        giveWay();
        return super.statistics();
    }

    @Override
    public void close() {
        giveWay();
        super.close();
    }

    @Override
    protected final void endViews() {
        giveWay();
        viewed.forEach(Viewed::endViews);
    }

    /** One tensor's block. */
    private final class Viewed implements PartStorage {
        /** Life of the segments that the tensor gives out; made with the first of them. */
        private Arena views;
        /** Where the block is that goes back; 0 before. */
        private long released;

        @Override
        public Storage whole() {
            return ViewedBlocks.this;
        }

        @Override
        public boolean isArena() {
            return true;
        }

        @Override
        public synchronized MemorySegment memoryAt(long address, long byteSize) {
            if (released != 0) {
                throw new IllegalStateException("use after free: the tensor at address=0x" + Long.toHexString(address)
                        + " was closed before");
            }
            if (views == null) {
                views = Arena.ofShared();
                viewed.add(this);
            }
            // In this order: it is known to be refused, or to who ends all views.
            if (!isOpen()) {
                throw new IllegalStateException("use after free: the tensor at address=0x" + Long.toHexString(address)
                        + " is of an arena that is closed forcibly");
            }
            return SystemMemory.view(PartStorage.super.memoryAt(address, byteSize), views);
        }

        @Override
        public synchronized void release(long address) {
            if (wasClosedWithAll()) {
                throw freedByForce(address);
            }
            released = address;
            if (!tryRelease()) {
                inUse.add(this);
            }
        }

        /** False while a native call uses a view. */
        private synchronized boolean tryRelease() {
            try {
                endViews();
            } catch (IllegalStateException inCall) {
                return false;
            }
            ViewedBlocks.this.release(released);
            return true;
        }

        /** @throws IllegalStateException while a native call uses one */
        private synchronized void endViews() {
            if (views != null) {
                views.close();
                views = null;
                viewed.remove(this);
            }
        }
    }
}
