package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What carries a port's packets.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_query_port(3); the texts are those of ibv_devinfo.
 */
public enum LinkLayer {
    /** Not said by the device, which means InfiniBand for an InfiniBand transport. */
    UNSPECIFIED("Unspecified"),
    /** InfiniBand: addressed by LID. */
    INFINIBAND("InfiniBand"),
    /** Ethernet: RoCE and iWARP, addressed by GID. */
    ETHERNET("Ethernet"),
    /** A link layer that these bindings do not know. */
    UNKNOWN("Unknown");

    private final String text;

    LinkLayer(String text) {
        this.text = text;
    }

    static LinkLayer of(int code) {
        if (code == IBV_LINK_LAYER_UNSPECIFIED()) {
            return UNSPECIFIED;
        }
        if (code == IBV_LINK_LAYER_INFINIBAND()) {
            return INFINIBAND;
        }
        return code == IBV_LINK_LAYER_ETHERNET() ? ETHERNET : UNKNOWN;
    }

    @Override
    public String toString() {
        return text;
    }
}
