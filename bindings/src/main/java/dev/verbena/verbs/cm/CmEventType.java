package dev.verbena.verbs.cm;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What the connection manager reports.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum rdma_cm_event_type, rdma_get_cm_event(3).
 */
public enum CmEventType {
    /** The peer's address leads over a device of this machine, which is now known. */
    ADDRESS_RESOLVED(RDMA_CM_EVENT_ADDR_RESOLVED(), false),
    /** It leads over none. */
    ADDRESS_ERROR(RDMA_CM_EVENT_ADDR_ERROR(), true),
    /** The way to the peer is known. */
    ROUTE_RESOLVED(RDMA_CM_EVENT_ROUTE_RESOLVED(), false),
    /** There is no way to the peer. */
    ROUTE_ERROR(RDMA_CM_EVENT_ROUTE_ERROR(), true),
    /** A peer wants to connect; the event's connection is a new one, to be accepted or rejected, and closed. */
    CONNECT_REQUEST(RDMA_CM_EVENT_CONNECT_REQUEST(), false),
    /** The peer has accepted a connection whose queue pair librdmacm does not know; to be established. */
    CONNECT_RESPONSE(RDMA_CM_EVENT_CONNECT_RESPONSE(), false),
    /** Connecting failed on this side. */
    CONNECT_ERROR(RDMA_CM_EVENT_CONNECT_ERROR(), true),
    /** The peer did not answer. */
    UNREACHABLE(RDMA_CM_EVENT_UNREACHABLE(), true),
    /** The peer, or its machine, refused. */
    REJECTED(RDMA_CM_EVENT_REJECTED(), true),
    /** Both sides are connected. */
    ESTABLISHED(RDMA_CM_EVENT_ESTABLISHED(), false),
    /** One side has disconnected. */
    DISCONNECTED(RDMA_CM_EVENT_DISCONNECTED(), false),
    /** The device goes away: close all that was made from it. */
    DEVICE_REMOVAL(RDMA_CM_EVENT_DEVICE_REMOVAL(), true),
    /** Of datagrams. */
    MULTICAST_JOIN(RDMA_CM_EVENT_MULTICAST_JOIN(), false),
    /** Of datagrams. */
    MULTICAST_ERROR(RDMA_CM_EVENT_MULTICAST_ERROR(), true),
    /** The network interface under the connection has moved to another device or address. */
    ADDRESS_CHANGE(RDMA_CM_EVENT_ADDR_CHANGE(), false),
    /** Late packets of a disconnected queue pair can no longer arrive: its number may be used again. */
    TIMEWAIT_EXIT(RDMA_CM_EVENT_TIMEWAIT_EXIT(), false),
    /** One that these bindings do not know. */
    UNKNOWN(-1, false);

    private final int code;
    private final boolean isFailure;

    CmEventType(int code, boolean isFailure) {
        this.code = code;
        this.isFailure = isFailure;
    }

    static CmEventType of(int code) {
        for (CmEventType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return UNKNOWN;
    }

    /** Whether nothing can come of the connection after it. */
    public boolean isFailure() {
        return isFailure;
    }
}
