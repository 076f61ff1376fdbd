package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What an RDMA device is in its network.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_node_type.
 */
public enum NodeType {
    /** A channel adapter: InfiniBand and RoCE, soft-RoCE too. */
    CHANNEL_ADAPTER(IBV_NODE_CA()),
    /** An InfiniBand switch. */
    SWITCH(IBV_NODE_SWITCH()),
    /** An InfiniBand router. */
    ROUTER(IBV_NODE_ROUTER()),
    /** An iWARP adapter. */
    RNIC(IBV_NODE_RNIC()),
    /** Cisco usNIC. */
    USNIC(IBV_NODE_USNIC()),
    /** Cisco usNIC over UDP. */
    USNIC_UDP(IBV_NODE_USNIC_UDP()),
    /** A device that follows no standard, such as EFA. */
    UNSPECIFIED(IBV_NODE_UNSPECIFIED()),
    /** A kind that these bindings do not know. */
    UNKNOWN(IBV_NODE_UNKNOWN());

    private final int code;

    NodeType(int code) {
        this.code = code;
    }

    static NodeType of(int code) {
        for (NodeType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return UNKNOWN;
    }
}
