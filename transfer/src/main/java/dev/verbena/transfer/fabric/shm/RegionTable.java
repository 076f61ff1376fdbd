package dev.verbena.transfer.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The registered regions of one process, in a shared file of their own: written by their owner, read by peers on every access. Peers
 * map it for reading only, so that none of them changes for the others what a key means.
 *
 * <pre>
 *   entry  0  key      long  the rkey while the region is live, 0 otherwise; published last
 *          8  fd       int   in the owner
 *         12  rights   int   bit i: AccessRight with ordinal i
 *         16  device   long
 *         24  inode    long
 *         32  address  long  of the first byte, in the owner
 *         40  byteSize long
 *         48  fileOffset long of the first byte, in the file
 *         56  sealed   int   1 if nobody can shorten the file
 *
 *   rkey   63 .......... 10  9 ... 0
 *          random, never 0   index of the entry
 * </pre>
 *
 * <p>Threading: entries are written by the owner under its lock; readers are ordered by the key's release and acquire.
 */
final class RegionTable {
    static final int ENTRY_COUNT = 1024;
    static final long ENTRY_BYTE_SIZE = 64;
    static final long TABLE_BYTE_SIZE = ENTRY_COUNT * ENTRY_BYTE_SIZE;

    static final int INDEX_BITS = Integer.numberOfTrailingZeros(ENTRY_COUNT);

    private static final long KEY = 0;
    private static final long FD = 8;
    private static final long RIGHTS = 12;
    private static final long DEVICE = 16;
    private static final long INODE = 24;
    private static final long ADDRESS = 32;
    private static final long BYTE_SIZE = 40;
    private static final long FILE_OFFSET = 48;
    private static final long SEALED = 56;

    private final MemorySegment memory;

    RegionTable(MemorySegment memory) {
        this.memory = memory;
    }

    static int index(long rkey) {
        return (int) rkey & (ENTRY_COUNT - 1);
    }

    long keyAcquire(int index) {
        return (long) Words.LONG.getAcquire(memory, index * ENTRY_BYTE_SIZE + KEY);
    }

    /** Called by the owner. */
    void publishRelease(long rkey, FileIdentity file, boolean isSealed, long fileOffset, int rights, long address,
            long byteSize) {
        long entry = index(rkey) * ENTRY_BYTE_SIZE;
        memory.set(JAVA_INT, entry + FD, file.fd());
        memory.set(JAVA_INT, entry + RIGHTS, rights);
        memory.set(JAVA_LONG, entry + DEVICE, file.device());
        memory.set(JAVA_LONG, entry + INODE, file.inode());
        memory.set(JAVA_LONG, entry + ADDRESS, address);
        memory.set(JAVA_LONG, entry + BYTE_SIZE, byteSize);
        memory.set(JAVA_LONG, entry + FILE_OFFSET, fileOffset);
        memory.set(JAVA_INT, entry + SEALED, isSealed ? 1 : 0);
        Words.LONG.setRelease(memory, entry + KEY, rkey);
    }

    /** Called by the owner: accesses that begin after it fail. */
    void revokeVolatile(long rkey) {
        Words.LONG.setVolatile(memory, index(rkey) * ENTRY_BYTE_SIZE + KEY, 0L);
    }

    /**
     * What a live entry says.
     *
     * @param rights bit i: AccessRight with ordinal i
     */
    record Entry(FileIdentity file, boolean isSealed, long fileOffset, int rights, long address, long byteSize) {}

    /** Called by a peer. @return null if no live region has that key */
    Entry readAcquire(long rkey) {
        long entry = index(rkey) * ENTRY_BYTE_SIZE;
        if (rkey == 0 || keyAcquire(index(rkey)) != rkey) {
            return null;
        }
        FileIdentity file = new FileIdentity(memory.get(JAVA_INT, entry + FD), memory.get(JAVA_LONG, entry + DEVICE),
                memory.get(JAVA_LONG, entry + INODE));
        Entry read = new Entry(file, memory.get(JAVA_INT, entry + SEALED) != 0,
                memory.get(JAVA_LONG, entry + FILE_OFFSET), memory.get(JAVA_INT, entry + RIGHTS),
                memory.get(JAVA_LONG, entry + ADDRESS),
                memory.get(JAVA_LONG, entry + BYTE_SIZE));
        // The owner may have replaced the entry meanwhile; keys of one entry differ, so the same key means the same region.
        VarHandle.acquireFence();
        return keyAcquire(index(rkey)) == rkey ? read : null;
    }
}
