package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;

import dev.verbena.transfer.fabric.Rights;

/**
 * The peer's regions as this side sees them: looked up by rkey on every access, mapped on first use.
 *
 * <p>Threading: thread-safe; shared by the pollers of one connection's queue pairs.
 */
final class RemoteRegions implements AutoCloseable {
    /** A region of the peer, mapped here. It may have died since: see {@link #isLive}. */
    static final class RemoteRegion {
        final long rkey;
        final int rightBits;
        final long address;
        final long byteSize;
        final MemorySegment memory;
        private final SharedMapping mapping;

        private RemoteRegion(long rkey, RegionTable.Entry entry, SharedMapping mapping) {
            this.rkey = rkey;
            this.mapping = mapping;
            rightBits = entry.rights();
            address = entry.address();
            byteSize = entry.byteSize();
            memory = mapping.memory().asSlice(entry.fileOffset(), entry.byteSize());
        }

        void unmap() {
            mapping.close();
        }

        /** Where the bytes lie in {@link #memory}, or -1 if not all of them do. Addresses are unsigned; nothing overflows. */
        long offsetOf(long address, long byteSize) {
            long offset = address - this.address;
            return offset >= 0 && byteSize <= this.byteSize && offset <= this.byteSize - byteSize ? offset : -1;
        }
    }

    private final PeerFiles files;
    private final RegionTable table;
    private final AtomicReferenceArray<RemoteRegion> mapped = new AtomicReferenceArray<>(RegionTable.ENTRY_COUNT);
    private boolean isClosed;

    RemoteRegions(PeerFiles files, RegionTable table) {
        this.files = files;
        this.table = table;
    }

    /** @return null if no live region has that key */
    RemoteRegion find(long rkey) throws PeerFileException {
        RemoteRegion region = mapped.getAcquire(RegionTable.index(rkey));
        if (region == null || region.rkey != rkey) {
            region = map(rkey);
        }
        return region != null && isLive(region) ? region : null;
    }

    /**
     * A mapping of its own, which lives until the caller closes it, for writing too where the right is to write.
     *
     * @return null if no live region has that key and gives peers that right
     */
    synchronized RemoteRegion mapAnew(long rkey, int right) throws PeerFileException {
        RegionTable.Entry entry = isClosed ? null : table.readAcquire(rkey);
        boolean isGiven = entry != null && (entry.rights() & right) != 0;
        return isGiven ? new RemoteRegion(rkey, entry, mapped(entry, right == Rights.REMOTE_WRITE)) : null;
    }

    boolean isLive(RemoteRegion region) {
        return table.keyAcquire(RegionTable.index(region.rkey)) == region.rkey;
    }

    private synchronized RemoteRegion map(long rkey) throws PeerFileException {
        int index = RegionTable.index(rkey);
        RemoteRegion present = mapped.get(index);
        if (present != null && present.rkey == rkey) {
            return present;
        }
        RegionTable.Entry entry = isClosed ? null : table.readAcquire(rkey);
        if (entry == null) {
            return null;
        }
        RemoteRegion region;
        try {
            // What its owner writes alone is mapped for reading.
            region = new RemoteRegion(rkey, entry, mapped(entry, (entry.rights() & Rights.LOCAL_WRITE) != 0));
        } catch (PeerFileException e) {
            if (table.keyAcquire(index) != rkey) {
                return null;
            }
            throw e;
        }
        mapped.setRelease(index, region);
        if (present != null) {
            present.mapping.close();
        }
        return region;
    }

    private SharedMapping mapped(RegionTable.Entry entry, boolean isWritable) throws PeerFileException {
        if (entry.fileOffset() < 0 || entry.byteSize() <= 0 || entry.fileOffset() > Long.MAX_VALUE - entry.byteSize()) {
            throw new PeerFileException(Libc.EINVAL, "its region table says fileOffset=" + entry.fileOffset()
                    + " byteSize=" + entry.byteSize());
        }
        return SharedMapping.mapPeer(files, entry.file(), entry.fileOffset() + entry.byteSize(),
                isWritable, entry.isSealed());
    }

    /** Unmaps what the peer has deregistered, so that its memory is really free. Called from the control thread. */
    synchronized void sweep() {
        for (int i = 0; i < RegionTable.ENTRY_COUNT && !isClosed; i++) {
            RemoteRegion region = mapped.get(i);
            if (region != null && !isLive(region)) {
                mapped.setRelease(i, null);
                region.mapping.close();
            }
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        for (int i = 0; i < RegionTable.ENTRY_COUNT; i++) {
            RemoteRegion region = mapped.getAndSet(i, null);
            if (region != null) {
                region.mapping.close();
            }
        }
    }
}
