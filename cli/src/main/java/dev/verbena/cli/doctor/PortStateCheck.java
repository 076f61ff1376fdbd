package dev.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.PortState;

/** Data flows through ports that are ACTIVE only. */
final class PortStateCheck implements Check {
    private static final String NAME = "port state";

    @Override
    public List<Finding> look(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        for (DeviceSeen device : machine.devices()) {
            for (Port port : device.ports()) {
                String seen = device.title(port) + " is " + port.state();
                findings.add(port.state() == PortState.ACTIVE ? Finding.ok(NAME, seen)
                        : Finding.warning(NAME, seen, port.linkLayer() == LinkLayer.ETHERNET
                                ? "bring its network interface up: ip link set INTERFACE up"
                                : "plug the cable in, and run a subnet manager (opensm) in the subnet"));
            }
        }
        return findings;
    }
}
