package dev.verbena.transfer;

/**
 * How the queue pairs of an RDMA fabric are connected; both sides must do it alike.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum ConnectMode {
    /** Through the connection manager where the device knows no other way, which is iWARP; else directly. */
    AUTO,
    /** Through the connection manager, rdma_cm, whatever the device: over IP addresses. */
    CM,
    /** By addresses that the two sides tell each other: needs nothing but the device. */
    DIRECT
}
