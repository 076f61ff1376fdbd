package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.transfer.TransferException;

/**
 * A file in shared memory that never has a name: when the last process that has it open or mapped is gone, however it ended,
 * so is the memory.
 *
 * <p>All its pages are allocated before it is handed out: too little memory is an exception here and never a SIGBUS later.
 *
 * <p>Threading: thread-safe.
 */
final class SharedFile implements AutoCloseable {
    private final FileIdentity identity;
    private final SharedMapping mapping;
    private boolean isOpen = true;

    private SharedFile(FileIdentity identity, SharedMapping mapping) {
        this.identity = identity;
        this.mapping = mapping;
    }

    /** A file of zeroes. */
    static SharedFile create(ShmDirectory directory, long byteSize) {
        checkRoom(directory, byteSize);
        return allocate(directory, byteSize);
    }

    /** Asked beforehand, because filling a machine's memory only to find that it does not suffice takes long. */
    static void checkRoom(ShmDirectory directory, long byteSize) {
        long available = directory.availableByteSize();
        if (byteSize > available) {
            throw outOfMemory(directory, byteSize, available);
        }
    }

    /** Without asking beforehand; it may still turn out that others were faster. */
    static SharedFile allocate(ShmDirectory directory, long byteSize) {
        int fd = open(directory);
        try {
            int result = Libc.posixFallocate(fd, byteSize);
            if (result == -Libc.ENOSPC || result == -Libc.ENOMEM) {
                throw outOfMemory(directory, byteSize, directory.availableByteSize());
            }
            if (result != 0) {
                throw new TransferException("posix_fallocate(byteSize=" + byteSize + ") in " + directory.path()
                        + " failed: " + Libc.describe(result));
            }
            return new SharedFile(identity(fd), SharedMapping.map(fd, byteSize, true));
        } catch (RuntimeException e) {
            Libc.close(fd);
            throw e;
        }
    }

    /** A file without any page yet, which {@code committer} has to see to; of a descriptor that is ours from now on. */
    static SharedFile map(int fd, long byteSize, Consumer<MemorySegment> committer) {
        SharedMapping mapping = null;
        try {
            int result = Libc.ftruncate(fd, byteSize);
            if (result != 0) {
                throw new OutOfArenaMemoryException(
                        "ftruncate(byteSize=" + byteSize + ") failed: " + Libc.describe(result));
            }
            mapping = SharedMapping.map(fd, byteSize, false);
            committer.accept(mapping.memory());
            return new SharedFile(identity(fd), mapping);
        } catch (Throwable e) {
            if (mapping != null) {
                mapping.close();
            }
            Libc.close(fd);
            throw e;
        }
    }

    /** @return the descriptor of a new file */
    static int open(ShmDirectory directory) {
        int fd = directory.openUnnamed();
        if (fd < 0) {
            throw new TransferException("cannot make a file in " + directory.path() + ": " + Libc.describe(fd)
                    + "; make it a writable tmpfs or name another one in " + ShmDirectory.ENVIRONMENT_VARIABLE);
        }
        return fd;
    }

    private static FileIdentity identity(int fd) {
        try {
            return FileIdentity.of(fd);
        } catch (IOException e) {
            throw new TransferException("cannot examine a file in shared memory; is /proc mounted?", e);
        }
    }

    private static OutOfArenaMemoryException outOfMemory(ShmDirectory directory, long need, long have) {
        return new OutOfArenaMemoryException("not enough shared memory: need " + need + " bytes, have " + have + " in "
                + directory.path() + "; enlarge it or name another tmpfs in " + ShmDirectory.ENVIRONMENT_VARIABLE);
    }

    FileIdentity identity() {
        return identity;
    }

    MemorySegment memory() {
        return mapping.memory();
    }

    /** Unmaps and closes. Idempotent. @throws IllegalStateException while a native call uses the memory */
    @Override
    public synchronized void close() {
        if (isOpen) {
            mapping.close();
            isOpen = false;
            Libc.close(identity.fd());
        }
    }
}
