package dev.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.TransportType;

/** The MTU of an Ethernet port against that of its network interface, which must hold a packet with all its headers. */
final class MtuCheck implements Check {
    private static final String NAME = "MTU";
    /** GRH 40, UDP 8, BTH 12, XRC 4, atomic 28 and ICRC 4 bytes: what iboe_get_mtu of the kernel's ib_addr.h leaves room for. */
    private static final int HEADER_BYTE_SIZE = 96;
    private static final int MTU_MAX = 4096;

    @Override
    public List<Finding> look(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        for (DeviceSeen device : machine.devices()) {
            for (Port port : device.activePorts()) {
                if (device.transport() == TransportType.IWARP) {
                    findings.add(Finding.ok(NAME, device.title(port) + " leaves it to TCP"));
                    continue;
                }
                int index = port.gids().stream().mapToInt(GidEntry::networkInterfaceIndex).filter(i -> i > 0)
                        .findFirst()
                        .orElse(0);
                String networkInterface = machine.networkInterface(index);
                if (port.linkLayer() == LinkLayer.ETHERNET && networkInterface != null) {
                    int mtu = Integer.parseInt(machine.files().read("/sys/class/net/" + networkInterface + "/mtu"));
                    findings.add(judge(device.title(port), port.activeMtuBytes(), networkInterface, mtu));
                }
            }
        }
        return findings;
    }

    private static Finding judge(String title, int active, String networkInterface, int mtu) {
        String seen = title + " has an active MTU of " + active + ", its interface " + networkInterface + " one of "
                + mtu;
        if (active > mtu) {
            return Finding.problem(NAME, seen + ": packets get lost",
                    "ip link set " + networkInterface + " mtu " + (active + HEADER_BYTE_SIZE)
                            + " and the same on every switch between, or RDMA_QP_MTU=" + largest(mtu));
        }
        if (active < largest(mtu)) {
            return Finding.warning(NAME, seen + ", which allows " + largest(mtu),
                    "ip link set " + networkInterface + " down, and up again, to let the port take it up");
        }
        return Finding.ok(NAME, seen + (active < MTU_MAX ? "; " + MTU_MAX + " would take an interface MTU of "
                + (MTU_MAX + HEADER_BYTE_SIZE) + " all the way" : ""));
    }

    /** Path MTUs are powers of two. */
    private static int largest(int interfaceMtu) {
        return Math.min(MTU_MAX, Integer.highestOneBit(Math.max(256, interfaceMtu - HEADER_BYTE_SIZE)));
    }
}
