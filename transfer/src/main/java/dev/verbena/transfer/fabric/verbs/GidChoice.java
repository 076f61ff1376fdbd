package dev.verbena.transfer.fabric.verbs;

import java.util.List;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.GidPreference;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.Port;

/**
 * The entry of a port's GID table that queue pairs send from.
 *
 * @param reason why that
 */
record GidChoice(GidEntry entry, String reason) {
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
        if (gids.isEmpty()) {
            throw new TransferException(where + " has no GID; " + remedy(port));
        }
        return port.bestGid().map(entry -> new GidChoice(entry, reason(GidPreference.of(entry, port.linkLayer()))))
                .orElseThrow(() -> new TransferException(where
                        + " has link-local GIDs only, which other subnets cannot answer to; " + remedy(port)
                        + ", or set RDMA_GID_INDEX to use one of them all the same"));
    }

    private static String reason(GidPreference preference) {
        return switch (preference) {
            case ROCE_V2_IPV4 -> "RoCE v2 over IPv4: routed, and what peers reach most often";
            case ROCE_V2_IPV6 -> "RoCE v2 over IPv6: there is no IPv4 address";
            case ROCE_V1 -> "RoCE v1: there is no RoCE v2 address";
            case OWN -> "the port's own GID";
            case NONE -> throw new IllegalStateException("never the best");
        };
    }

    private static String remedy(Port port) {
        return port.linkLayer() == LinkLayer.ETHERNET
                ? "give its network interface an address (ip addr add ADDRESS/24 dev INTERFACE)"
                : "see that the subnet has a subnet manager";
    }
}
