package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Prefault;
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
    /**
     * Up to this size one system call maps a file with all its pages. As long as that takes the process can map and unmap nothing else: its control
     * thread stood still for more than 10 s beside busy processes, with 3 GiB, and peers gave it up. So a larger one's pages are mapped in pieces.
     */
    private static final long MAPPED_AT_ONCE_MAX = 16L << 20;

    private final FileIdentity identity;
    private final SharedMapping mapping;
    private boolean isOpen = true;

    private SharedFile(FileIdentity identity, SharedMapping mapping) {
        this.identity = identity;
        this.mapping = mapping;
    }

    /** A file of zeroes. */
    static SharedFile create(ShmFiles files, long byteSize) {
        checkRoom(files, byteSize);
        return allocate(files, byteSize);
    }

    /** Asked beforehand, because filling a machine's memory only to find that it does not suffice takes long. */
    static void checkRoom(ShmFiles files, long byteSize) {
        long available = files.availableByteSize();
        if (byteSize > available) {
            throw outOfMemory(files, byteSize, available);
        }
    }

    /** Without asking beforehand; it may still turn out that others were faster. */
    static SharedFile allocate(ShmFiles files, long byteSize) {
        int fd = open(files);
        try {
            int result = Libc.posixFallocate(fd, byteSize);
            if (result == -Libc.ENOSPC || result == -Libc.ENOMEM) {
                throw outOfMemory(files, byteSize, files.availableByteSize());
            }
            if (result != 0) {
                throw new TransferException("posix_fallocate(byteSize=" + byteSize + ") in " + files.place()
                        + " failed: " + Libc.describe(result));
            }
            if (files.areSealed()) {
                seal(fd);
            }
            return new SharedFile(identity(fd), mapWithPages(fd, byteSize));
        } catch (RuntimeException e) {
            Libc.close(fd);
            throw e;
        }
    }

    private static SharedMapping mapWithPages(int fd, long byteSize) {
        SharedMapping mapping = SharedMapping.map(fd, byteSize, byteSize <= MAPPED_AT_ONCE_MAX);
        if (byteSize > MAPPED_AT_ONCE_MAX) {
            try {
                // It takes whole ints; what is left of the last page is zero as it was.
                Prefault.commit(mapping.memory().asSlice(0, byteSize & -Integer.BYTES), 1, (_, _) -> {});
                mapping.memory().set(ValueLayout.JAVA_BYTE, byteSize - 1, (byte) 0);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // They have memory; those that are left are mapped at their first use.
            } catch (RuntimeException | Error e) {
                mapping.close();
                throw e;
            }
        }
        return mapping;
    }

    /**
     * A file without any page yet, which {@code committer} has to see to; of a descriptor that is ours from now on.
     *
     * @param isSealed whether it can be sealed, and is
     */
    static SharedFile map(int fd, boolean isSealed, long byteSize, Consumer<MemorySegment> committer) {
        SharedMapping mapping = null;
        try {
            int result = Libc.ftruncate(fd, byteSize);
            if (result != 0) {
                throw new OutOfArenaMemoryException(
                        "ftruncate(byteSize=" + byteSize + ") failed: " + Libc.describe(result));
            }
            if (isSealed) {
                seal(fd);
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
    static int open(ShmFiles files) {
        int fd = files.open();
        if (fd < 0) {
            throw new TransferException("cannot make a file in " + files.place() + ": " + Libc.describe(fd)
                    + "; " + files.hint());
        }
        return fd;
    }

    private static void seal(int fd) {
        int result = Libc.sealSize(fd);
        if (result != 0) {
            throw new TransferException("fcntl(F_ADD_SEALS) of a file in shared memory failed: "
                    + Libc.describe(result) + "; name a tmpfs in " + ShmFiles.ENVIRONMENT_VARIABLE);
        }
    }

    private static FileIdentity identity(int fd) {
        try {
            return FileIdentity.of(fd);
        } catch (IOException e) {
            throw new TransferException("cannot examine a file in shared memory; is /proc mounted?", e);
        }
    }

    private static OutOfArenaMemoryException outOfMemory(ShmFiles files, long need, long have) {
        return new OutOfArenaMemoryException("not enough shared memory: need " + need + " bytes, have " + have + " in "
                + files.place() + "; " + files.hint());
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
