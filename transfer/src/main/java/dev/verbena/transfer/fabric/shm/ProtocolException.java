package dev.verbena.transfer.fabric.shm;

/** What came over a control socket is not what a peer says. */
final class ProtocolException extends Exception {
    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
        super(message);
    }
}
