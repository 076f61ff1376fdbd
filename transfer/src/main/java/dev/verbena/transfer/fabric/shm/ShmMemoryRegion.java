package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.util.Set;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * A registered region: a nameless shared file and its entry in the region table.
 *
 * <p>Threading: immutable but for its end, which comes once.
 */
final class ShmMemoryRegion implements MemoryRegion {
    private final ShmFabric fabric;
    private final SharedFile file;
    private final int rkey;
    private final Set<AccessRight> rights;
    final int rightBits;
    final MemorySegment memory;
    final long byteSize;
    private volatile boolean isOpen = true;

    ShmMemoryRegion(ShmFabric fabric, SharedFile file, int rkey, Set<AccessRight> rights) {
        this.fabric = fabric;
        this.file = file;
        this.rkey = rkey;
        this.rights = Set.copyOf(rights);
        rightBits = Rights.of(rights);
        memory = file.memory();
        byteSize = memory.byteSize();
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public long address() {
        return memory.address();
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public Set<AccessRight> rights() {
        return rights;
    }

    boolean isOpen() {
        return isOpen;
    }

    boolean isOf(ShmFabric fabric) {
        return this.fabric == fabric;
    }

    /** Why these bytes of it may not be used with this right (a bit, or 0), or null. */
    String refusal(ShmFabric user, long offset, long byteSize, int right) {
        if (!isOf(user)) {
            return "region rkey=" + rkey + " belongs to another fabric";
        }
        if (!isOpen) {
            return "region rkey=" + rkey + " is closed";
        }
        if (offset < 0 || byteSize > this.byteSize || offset > this.byteSize - byteSize) {
            return "element offset=" + offset + " byteSize=" + byteSize + " is outside its region rkey=" + rkey
                    + " byteSize=" + this.byteSize;
        }
        if ((rightBits & right) != right) {
            return "region rkey=" + rkey + " lacks " + Rights.name(right) + ", it has " + rights;
        }
        return null;
    }

    @Override
    public synchronized void close() {
        if (isOpen) {
            fabric.deregister(this);
            file.close();
            isOpen = false;
        }
    }
}
