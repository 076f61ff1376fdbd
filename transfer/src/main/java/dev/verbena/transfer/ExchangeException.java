package dev.verbena.transfer;

/**
 * What was to be sent could not be computed: the sender's failure, told by {@link ExchangeSender#fail}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ExchangeException extends TransferException {
    private static final long serialVersionUID = 1L;

    /** The name of the sender's device. */
    private final String peerName;
    /** The name that the tensor was asked for by. */
    private final String tensorName;
    /** The step that the tensor was asked for by. */
    private final long step;
    /** The type and message of the exception at the sender. */
    private final String peerMessage;

    /** As the sender of that name told it. */
    public ExchangeException(String peerName, String tensorName, long step, String peerMessage) {
        super("peer " + peerName + " failed '" + tensorName + "' step=" + step + ": " + peerMessage);
        this.peerName = peerName;
        this.tensorName = tensorName;
        this.step = step;
        this.peerMessage = peerMessage;
    }

    /** Who failed. */
    public String peerName() {
        return peerName;
    }

    /** What was asked for. */
    public String tensorName() {
        return tensorName;
    }

    /** The step that was asked for together with the name, as the program counts them. */
    public long step() {
        return step;
    }

    /** What the sender said: its exception's type and message. */
    public String peerMessage() {
        return peerMessage;
    }
}
