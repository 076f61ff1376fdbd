package dev.verbena.transfer.fabric.shm;

/** A file of the peer cannot be mapped; expected when the peer has just died. */
final class PeerFileException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int errno;

    PeerFileException(int errno, String message) {
        super(message);
        this.errno = errno;
    }

    int errno() {
        return errno;
    }
}
