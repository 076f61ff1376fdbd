package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.transfer.TransferException;

/**
 * A shared file as memory of this process: use after {@link #close()} throws, it never crashes.
 *
 * <p>Threading: thread-safe.
 */
final class SharedMapping implements AutoCloseable {
    private final Arena arena;
    private final MemorySegment memory;

    private SharedMapping(Arena arena, MemorySegment memory) {
        this.arena = arena;
        this.memory = memory;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Maps a file of this process, with all its pages if {@code populate}. */
    static SharedMapping map(int fd, long byteSize, boolean populate) {
        return map(fd, byteSize, populate, true);
    }

    private static SharedMapping map(int fd, long byteSize, boolean populate, boolean isWritable) {
        long address = Libc.mmap(fd, byteSize, populate, isWritable);
        // Addresses are below 2^47; only a negated errno is negative.
        if (address < 0) {
            throw new TransferException("mmap(byteSize=" + byteSize + ") failed: " + Libc.describe((int) address)
                    + "; look at ulimit -v and vm.max_map_count");
        }
        Arena arena = Arena.ofShared();
        MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(byteSize, arena,
                mapped -> Libc.munmap(mapped.address(), byteSize));
        return new SharedMapping(arena, isWritable ? memory : memory.asReadOnly());
    }

    /** Maps a file that another process, or this one, has open, for reading and writing. */
    static SharedMapping mapPeer(PeerFiles files, FileIdentity identity, long byteSize) throws PeerFileException {
        return mapPeer(files, identity, byteSize, true, false);
    }

    /** The same, for reading only if it is not {@code isWritable}; refused if it {@code mustBeSealed} and somebody could shorten it. */
    static SharedMapping mapPeer(PeerFiles files, FileIdentity identity, long byteSize, boolean isWritable,
            boolean mustBeSealed) throws PeerFileException {
        String path = files.path(identity.fd());
        // Non-blocking: a peer that lies may name a FIFO.
        int fd = Libc.open(path, (isWritable ? Libc.O_RDWR : 0) | Libc.O_CLOEXEC | Libc.O_NONBLOCK, 0);
        if (fd < 0) {
            throw new PeerFileException(-fd, "open(" + path + ") failed: " + Libc.describe(fd) + hint(-fd));
        }
        try {
            if (!FileIdentity.of(fd).isSameFile(identity)) {
                throw new PeerFileException(Libc.ENOENT,
                        path + " is not the file that the peer means; it has closed it meanwhile");
            }
            Path file = Path.of("/proc/self/fd/" + fd);
            if (byteSize <= 0 || !Files.isRegularFile(file) || Files.size(file) < byteSize) {
                throw new PeerFileException(Libc.EINVAL, path + " is not a file of at least byteSize=" + byteSize);
            }
            if (mustBeSealed && !Libc.cannotShrink(fd)) {
                throw new PeerFileException(Libc.EPERM,
                        path + " is not sealed, so that the peer could shorten it under this"
                                + " process; give both sides the same " + ShmFiles.ENVIRONMENT_VARIABLE + ", or none");
            }
            return map(fd, byteSize, false, isWritable);
        } catch (IOException e) {
            throw new PeerFileException(Libc.EINVAL, path + " cannot be examined: " + e.getMessage());
        } finally {
            Libc.close(fd);
        }
    }

    private static String hint(int errno) {
        return switch (errno) {
            case Libc.EACCES ->
                "; both processes must run as the same user, in one user namespace, and this one with the"
                        + " capabilities of the other";
            case Libc.ENOENT -> "; the process has ended, or closed it";
            default -> "";
        };
    }

    /** @throws IllegalStateException while a native call uses the memory */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
