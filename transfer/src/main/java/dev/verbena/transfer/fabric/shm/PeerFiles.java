package dev.verbena.transfer.fabric.shm;

import dev.verbena.transfer.TransferException;

/**
 * The files that a process has open, as a folder of the kernel's: a descriptor of its {@code /proc/self/fd}, which it has handed over. Whoever
 * has it opens those files by their number, in whatever PID namespace he lives; the kernel asks that he be the same user.
 *
 * <p><b>Owner:</b> the connection; the fabric, of its own. <b>Threading:</b> thread-safe.
 */
final class PeerFiles implements AutoCloseable {
    private final int folder;
    private boolean isOpen = true;

    /** Takes charge of the descriptor. */
    PeerFiles(int folder) {
        this.folder = folder;
    }

    /** Those of this process, to be handed over. */
    static PeerFiles own() {
        int folder = Libc.open("/proc/self/fd", Libc.O_CLOEXEC | Libc.O_NONBLOCK, 0);
        if (folder < 0) {
            throw new TransferException("open(/proc/self/fd) failed: " + Libc.describe(folder) + "; mount /proc");
        }
        return new PeerFiles(folder);
    }

    int folder() {
        return folder;
    }

    /** Of the file that has that number at the peer. */
    String path(int fd) {
        return "/proc/self/fd/" + folder + "/" + fd;
    }

    /** Idempotent. */
    @Override
    public synchronized void close() {
        if (isOpen) {
            isOpen = false;
            Libc.close(folder);
        }
    }
}
