package dev.verbena.memory.scope;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.memory.Slab;
import dev.verbena.memory.heap.SizeClasses;
import dev.verbena.memory.heap.Storage;

/**
 * A block that one iteration gives out from its lower end upwards; nothing of it comes back before the iteration's end.
 *
 * <pre>
 *   block  | tensor | segment |gap| tensor |            free            |
 *                                          next                         end
 * </pre>
 *
 * <p><b>Owner:</b> {@link Iteration}. <b>Threading:</b> thread-safe.
 */
public final class ScopeMemory implements Storage {
    private final Iteration iteration;
    private final Slab slab;
    /** Dies with the iteration. */
    private final MemorySegment memory;
    private final AtomicLong next;
    private final long end;

    public ScopeMemory(Iteration iteration, ScopeBlock block) {
        this.iteration = iteration;
        slab = block.slab();
        memory = MemorySegment.ofAddress(block.address()).reinterpret(block.byteSize(), iteration.lifetime(), null);
        next = new AtomicLong(block.address());
        end = block.address() + block.byteSize();
    }

    /** The address of so many bytes, of at least one so that it is nobody else's; 0 if there are not so many left. */
    public long take(long byteSize, long alignment) {
        for (;;) {
            long from = next.getPlain();
            long address = SizeClasses.ceil(from, alignment);
            long taken = Math.max(byteSize, 1);
            if (address > end || taken > end - address) {
                return 0;
            }
            if (next.compareAndSet(from, address + taken)) {
                return address;
            }
        }
    }

    @Override
    public MemorySegment memoryAt(long address, long byteSize) {
        return memory.asSlice(address - memory.address(), byteSize);
    }

    @Override
    public Slab slabAt(long address) {
        return slab;
    }

    /** The bytes stay until the iteration's end. */
    @Override
    public void release(long address) {
        if (iteration.isEnded()) {
            throw new IllegalStateException("double free: the tensor at address=0x" + Long.toHexString(address)
                    + " was freed with its scope's iteration; close it before, or not at all");
        }
    }

    @Override
    public boolean isOpen() {
        return !iteration.isEnded();
    }

    @Override
    public boolean tryPin() {
        return iteration.tryPin();
    }

    @Override
    public void unpinned() {
        iteration.unpin();
    }
}
