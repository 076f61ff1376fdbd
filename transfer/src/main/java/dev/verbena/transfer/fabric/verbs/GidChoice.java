package dev.verbena.transfer.fabric.verbs;

import java.util.Comparator;
import java.util.List;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.verbs.Gid;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.GidType;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.Port;

/**
 * The entry of a port's GID table that queue pairs send from.
 *
 * @param reason why that
 */
record GidChoice(GidEntry entry, String reason) {
    /** From the best to the worst; what fits none is never chosen. */
    private enum Kind {
        ROCE_V2_IPV4("RoCE v2 over IPv4: routed, and what peers reach most often"),
        ROCE_V2_IPV6("RoCE v2 over IPv6: there is no IPv4 address"),
        ROCE_V1("RoCE v1: there is no RoCE v2 address"),
        INFINIBAND("the port's own GID"),
        NONE("");

        private final String reason;

        Kind(String reason) {
            this.reason = reason;
        }

        static Kind of(GidEntry entry, LinkLayer linkLayer) {
            if (entry.gid().equals(Gid.ZERO) || entry.type() == GidType.UNKNOWN) {
                return NONE;
            }
            if (entry.type() == GidType.INFINIBAND || linkLayer == LinkLayer.INFINIBAND) {
                // Its default subnet prefix looks like a link-local address, and is none.
                return INFINIBAND;
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

    /** The index that was asked for, link-local or not; else the best kind, of several the first. */
    static GidChoice of(Port port, String where, int askedIndex) {
        List<GidEntry> gids = port.gids();
        if (askedIndex != NetworkOptions.UNSET) {
            return gids.stream().filter(entry -> entry.index() == askedIndex).findFirst()
                    .map(entry -> new GidChoice(entry, "RDMA_GID_INDEX or --rdma-gid-index names it"))
                    .orElseThrow(() -> new TransferException(where + " has no GID at index " + askedIndex
                            + "; set RDMA_GID_INDEX to one of " + gids.stream().map(GidEntry::index).toList()
                            + ", or unset it"));
        }
        Comparator<GidEntry> best = Comparator.comparing(entry -> Kind.of(entry, port.linkLayer()));
        GidEntry entry = gids.stream().min(best.thenComparing(GidEntry::index))
                .orElseThrow(() -> new TransferException(where + " has no GID; " + remedy(port)));
        Kind kind = Kind.of(entry, port.linkLayer());
        if (kind == Kind.NONE) {
            throw new TransferException(where + " has link-local GIDs only, which other subnets cannot answer to; "
                    + remedy(port) + ", or set RDMA_GID_INDEX to use one of them all the same");
        }
        return new GidChoice(entry, kind.reason);
    }

    private static String remedy(Port port) {
        return port.linkLayer() == LinkLayer.ETHERNET
                ? "give its network interface an address (ip addr add ADDRESS/24 dev INTERFACE)"
                : "see that the subnet has a subnet manager";
    }
}
