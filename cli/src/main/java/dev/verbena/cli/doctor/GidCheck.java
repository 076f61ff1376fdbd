package dev.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.GidType;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.TransportType;

/** Whether active ports have an address that peers reach: on Ethernet, best of all RoCE v2 over IPv4. */
final class GidCheck implements Check {
    private static final String NAME = "GID";
    private static final String REMEDY = "give its network interface an address: ip addr add ADDRESS/24 dev INTERFACE";

    @Override
    public List<Finding> look(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        for (DeviceSeen device : machine.devices()) {
            for (Port port : device.activePorts()) {
                findings.add(device.transport() == TransportType.IWARP
                        ? Finding.ok(NAME, device.title(port)
                                + " needs none: iWARP is connected through rdma_cm, by IP address")
                        : judge(device.title(port), port));
            }
        }
        return findings;
    }

    private static Finding judge(String title, Port port) {
        List<GidEntry> gids = port.gids();
        if (gids.isEmpty()) {
            return Finding.problem(NAME, title + " has none", REMEDY);
        }
        if (port.linkLayer() != LinkLayer.ETHERNET) {
            return Finding.ok(NAME, title + " has " + gids.getFirst().gid());
        }
        return gids.stream().filter(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped()).findFirst()
                .map(entry -> Finding.ok(NAME, title + " has " + entry.gid() + " (" + entry.type() + ") at index "
                        + entry.index()))
                .orElseGet(() -> Finding.warning(NAME, title + " has no IPv4 address for RoCE v2 among its "
                        + gids.size() + " GIDs", REMEDY));
    }
}
