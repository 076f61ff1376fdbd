package dev.verbena.verbs;

/**
 * What an entry of a GID table is good for as the address of a queue pair; from the best to the worst.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum GidPreference {
    /** RoCE version 2 over IPv4: routed, and what peers reach most often. */
    ROCE_V2_IPV4,
    /** RoCE version 2 over IPv6. */
    ROCE_V2_IPV6,
    /** RoCE version 1: reached within an Ethernet only. */
    ROCE_V1,
    /** A port's own, on InfiniBand and iWARP. */
    OWN,
    /** Empty, link-local, or of a type that these bindings do not know. */
    NONE;

    /** Of an entry of a port with that link layer. */
    public static GidPreference of(GidEntry entry, LinkLayer linkLayer) {
        if (entry.gid().equals(Gid.ZERO) || entry.type() == GidType.UNKNOWN) {
            return NONE;
        }
        if (entry.type() == GidType.INFINIBAND || linkLayer == LinkLayer.INFINIBAND) {
            // Its default subnet prefix looks like a link-local address, and is none.
            return OWN;
        }
        if (entry.gid().isLinkLocal()) {
            return NONE;
        }
        if (entry.type() == GidType.ROCE_V1) {
            return ROCE_V1;
        }
        return entry.gid().isIpv4Mapped() ? ROCE_V2_IPV4 : ROCE_V2_IPV6;
    }
}
