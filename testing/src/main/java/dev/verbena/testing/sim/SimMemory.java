package dev.verbena.testing.sim;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryKind;

/**
 * The memory that one process has registered.
 *
 * <p><b>Owner:</b> the fabric. <b>Threading:</b> confined to the simulation.
 */
final class SimMemory {
    static final long BYTE_SIZE_MAX = 4L << 30;
    /** No address of one process is one of another. */
    private static final long PROCESS_SPAN = 1L << 40;
    /** Behind each region; who goes astray shall not end in the next one. */
    private static final long GAP = 1 << 20;
    /** A key that is next to another one, or a few thousands away, is nobody's; nor is half a key anybody's. */
    private static final long KEY_STEP = 0x0301_0007L << Integer.SIZE | 1;
    private static final long REGISTRATION_NS = 10_000;

    private final Simulation simulation;
    private final SimFabric fabric;
    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final Map<Long, SimRegion> regions = new LinkedHashMap<>();
    private long nextAddress;
    private long lastKey;
    private long registrationCount;

    SimMemory(Simulation simulation, SimFabric fabric, int process) {
        this.simulation = simulation;
        this.fabric = fabric;
        nextAddress = PROCESS_SPAN * (process + 1);
        lastKey = (long) process << Byte.SIZE;
    }

    SimRegion register(long byteSize, Set<AccessRight> rights, SlabOptions options) {
        if (byteSize <= 0) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " of a region must be positive");
        }
        check(rights);
        Slab slab = source.acquire(reserve(byteSize), options);
        return add(slab.memory(), MemoryKind.HOST, slab, rights);
    }

    /** What was there before. */
    SimRegion register(MemorySegment bytes, MemoryKind kind, Set<AccessRight> rights) {
        check(rights);
        reserve(bytes.byteSize());
        return add(bytes, kind, null, rights);
    }

    private static void check(Set<AccessRight> rights) {
        if (!rights.contains(AccessRight.LOCAL_WRITE) && (rights.contains(AccessRight.REMOTE_WRITE)
                || rights.contains(AccessRight.REMOTE_ATOMIC))) {
            throw new IllegalArgumentException(
                    "rights=" + rights + ": REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too");
        }
    }

    /** @return the same number */
    private long reserve(long byteSize) {
        long have = BYTE_SIZE_MAX - registeredByteSize();
        if (byteSize > have || simulation.chance().happens(Fault.FAILED_REGISTRATION_ONE_IN)) {
            simulation.note("registration fails");
            throw new OutOfArenaMemoryException("need " + byteSize + " bytes, have " + have + "; or else "
                    + simulation + " lets one fail now and then");
        }
        return byteSize;
    }

    private SimRegion add(MemorySegment bytes, MemoryKind kind, Slab slab, Set<AccessRight> rights) {
        lastKey += KEY_STEP;
        SimRegion region = new SimRegion(this, bytes, kind, slab, nextAddress, lastKey, rights);
        nextAddress += region.byteSize() + GAP;
        regions.put(lastKey, region);
        registrationCount++;
        return region;
    }

    /** Null if there is none, or none any more. */
    SimRegion find(long rkey) {
        return regions.get(rkey);
    }

    void forget(SimRegion region) {
        regions.remove(region.rkey());
    }

    void free(Slab slab) {
        source.release(slab);
    }

    void releaseAll() {
        new ArrayList<>(regions.values()).forEach(SimRegion::close);
    }

    long registeredByteSize() {
        return regions.values().stream().mapToLong(SimRegion::byteSize).sum();
    }

    long registrationCount() {
        return registrationCount;
    }

    /** Of virtual time, as if each took the same. */
    long registrationNs() {
        return registrationCount * REGISTRATION_NS;
    }

    List<String> holdings() {
        return regions.values().stream().map(SimRegion::toString).toList();
    }

    @Override
    public String toString() {
        return fabric.toString();
    }
}
