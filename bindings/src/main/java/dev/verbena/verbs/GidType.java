package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * How packets sent from a GID are addressed.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_gid_type; the texts are those of ibv_devinfo.
 */
public enum GidType {
    /** InfiniBand's own. */
    INFINIBAND("IB"),
    /** RoCE version 1: Ethernet only, not routed. */
    ROCE_V1("RoCE v1"),
    /** RoCE version 2: over UDP, routed; the one to prefer. */
    ROCE_V2("RoCE v2"),
    /** A type that these bindings do not know. */
    UNKNOWN("unknown");

    private final String text;

    GidType(String text) {
        this.text = text;
    }

    static GidType of(int code) {
        if (code == IBV_GID_TYPE_IB()) {
            return INFINIBAND;
        }
        if (code == IBV_GID_TYPE_ROCE_V1()) {
            return ROCE_V1;
        }
        return code == IBV_GID_TYPE_ROCE_V2() ? ROCE_V2 : UNKNOWN;
    }

    @Override
    public String toString() {
        return text;
    }
}
