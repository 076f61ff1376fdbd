package dev.verbena.transfer.protocol;

/**
 * What slots are for. The order is part of what the two sides say to each other.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum PlacementProtocol {
    /** Tensors of one shape, placed statically. */
    STATIC("channel.sender"),
    /** Records of tensors of any shape, {@link DynamicRecord}. */
    DYNAMIC("channel.dynamicSender"),
    /** Messages about tensors by name and step. */
    EXCHANGE("channel.exchangeSender"),
    /** As {@link #DYNAMIC}, of tensors that may also be lent: {@link Loans}. */
    LENDING("channel.lendingSender");

    private final String method;

    PlacementProtocol(String method) {
        this.method = method;
    }

    /** By which users make the sender. */
    String method() {
        return method;
    }
}
