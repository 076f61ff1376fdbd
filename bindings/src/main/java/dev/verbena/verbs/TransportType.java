package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * The transport an RDMA device speaks.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_transport_type; the texts are those of ibv_devinfo.
 */
public enum TransportType {
    /** InfiniBand's transport; RoCE and soft-RoCE speak it too, over Ethernet. */
    INFINIBAND(IBV_TRANSPORT_IB(), "InfiniBand"),
    /** RDMA over TCP. */
    IWARP(IBV_TRANSPORT_IWARP(), "iWARP"),
    /** Cisco usNIC. */
    USNIC(IBV_TRANSPORT_USNIC(), "usNIC"),
    /** Cisco usNIC over UDP. */
    USNIC_UDP(IBV_TRANSPORT_USNIC_UDP(), "usNIC UDP"),
    /** A transport that follows no standard, such as EFA's. */
    UNSPECIFIED(IBV_TRANSPORT_UNSPECIFIED(), "unspecified"),
    /** A transport that these bindings do not know. */
    UNKNOWN(IBV_TRANSPORT_UNKNOWN(), "unknown");

    private final int code;
    private final String text;

    TransportType(int code, String text) {
        this.code = code;
        this.text = text;
    }

    int code() {
        return code;
    }

    /** Whether two queue pairs can be connected through rdma_cm alone, and not by telling each the other's address: iWARP, RFC 5044. */
    public boolean needsConnectionManager() {
        return this == IWARP;
    }

    /** Whether it has compare-and-swap and fetch-and-add, if the device has. iWARP has none, RFC 5040; RFC 7306 adds them, and no driver. */
    public boolean hasAtomics() {
        return this != IWARP;
    }

    /** Whether sends and writes can carry an immediate. Not on iWARP, RFC 5040. */
    public boolean hasImmediates() {
        return this != IWARP;
    }

    /** Whether it has unreliable datagrams. iWARP, over TCP, has connections only. */
    public boolean hasDatagrams() {
        return this != IWARP;
    }

    static TransportType of(int code) {
        for (TransportType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return UNKNOWN;
    }

    @Override
    public String toString() {
        return text;
    }
}
