package dev.verbena.transfer.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryKind;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * What regions of every fabric have in common: they know what may be done to them.
 *
 * <p><b>Owner:</b> who registered it. <b>Threading:</b> immutable but for its end, which comes once.
 */
public abstract class CheckedRegion implements MemoryRegion {
    /**
     * Reads {@code isOpen} plainly on the data path: behind an acquiring read the compiler loads again all that it knows of a request.
     * Who closes a region while another thread posts it is not heard any sooner for that.
     */
    private static final VarHandle IS_OPEN;

    static {
        try {
            IS_OPEN = MethodHandles.lookup().findVarHandle(CheckedRegion.class, "isOpen", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Fabric fabric;
    /** Null of a device. */
    private final MemorySegment memory;
    private final long address;
    private final long byteSize;
    private final long rkey;
    private final Set<AccessRight> rights;
    private final int rightBits;
    private volatile boolean isOpen = true;

    protected CheckedRegion(Fabric fabric, MemorySegment memory, long rkey, Set<AccessRight> rights) {
        this(fabric, memory, memory.address(), memory.byteSize(), rkey, rights);
    }

    /** Of a device, under an address of its own. */
    protected CheckedRegion(Fabric fabric, long address, long byteSize, long rkey, Set<AccessRight> rights) {
        this(fabric, null, address, byteSize, rkey, rights);
    }

    private CheckedRegion(Fabric fabric, MemorySegment memory, long address, long byteSize, long rkey,
            Set<AccessRight> rights) {
        this.fabric = fabric;
        this.memory = memory;
        this.address = address;
        this.byteSize = byteSize;
        this.rkey = rkey;
        this.rights = Set.copyOf(rights);
        this.rightBits = Rights.of(rights);
    }

    /** Deregisters and frees; called once. */
    protected abstract void release();

    @Override
    public final MemorySegment memory() {
        if (memory == null) {
            throw new UnsupportedOperationException("region rkey=" + rkey
                    + " is memory of a device, which no processor reaches; copy it to a region of the host by a read");
        }
        return memory;
    }

    @Override
    public final MemoryKind kind() {
        return memory == null ? MemoryKind.DEVICE : MemoryKind.HOST;
    }

    @Override
    public final long address() {
        return address;
    }

    @Override
    public final long byteSize() {
        return byteSize;
    }

    @Override
    public final long rkey() {
        return rkey;
    }

    @Override
    public final Set<AccessRight> rights() {
        return rights;
    }

    /** As {@link Rights} has them. */
    public final int rightBits() {
        return rightBits;
    }

    public final boolean isOpen() {
        return isOpen;
    }

    public final boolean isOf(Fabric fabric) {
        return this.fabric == fabric;
    }

    /** Why these bytes of it may not be used with this right (a bit, or 0), or null. */
    public final String refusal(long offset, long byteSize, int right) {
        if (!(boolean) IS_OPEN.get(this)) {
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
    public final synchronized void close() {
        if (isOpen) {
            release();
            isOpen = false;
        }
    }
}
