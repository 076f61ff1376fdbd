package dev.verbena.transfer.fabric.verbs;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Setting;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.PortState;
import dev.verbena.verbs.Verbs;

/**
 * The device, port, GID and MTU that a fabric uses: what was asked for, or the first that will do.
 *
 * <p><b>Owner:</b> none, it holds nothing open. <b>Threading:</b> immutable.
 *
 * @param mtu in bytes, for the queue pairs' path
 * @param settings the same and what else was configured, each with its reason
 */
public record PortChoice(LocalDevice device, Port port, GidEntry gidEntry, int mtu, List<Setting> settings) {
    private static final int ETHERNET_PRIORITY_MAX = 7;

    public PortChoice {
        settings = List.copyOf(settings);
    }

    /**
     * Of this machine's devices.
     *
     * @throws TransferException where none will do; one sentence that says why and what to do
     */
    public static PortChoice ofMachine(NetworkOptions network) {
        String reason = Verbs.unavailableReason();
        if (reason != null) {
            throw new TransferException(reason);
        }
        return of(LocalDevice.list(), network);
    }

    /**
     * Of these devices, in their order.
     *
     * @throws TransferException where none will do; one sentence that says why and what to do
     */
    static PortChoice of(List<LocalDevice> devices, NetworkOptions network) {
        if (network.device() != null) {
            LocalDevice named = devices.stream().filter(device -> device.name().equals(network.device())).findFirst()
                    .orElseThrow(() -> new TransferException("there is no RDMA device '" + network.device()
                            + "' here; set RDMA_DEVICE to one of " + devices.stream().map(LocalDevice::name).toList()
                            + ", or unset it"));
            return ofDevice(named, network, "RDMA_DEVICE or --rdma-device names it");
        }
        StringBuilder problems = new StringBuilder();
        for (LocalDevice device : devices) {
            try {
                return ofDevice(device, network, "the first with a usable port" + (problems.isEmpty() ? ""
                        : ", after " + problems));
            } catch (TransferException e) {
                problems.append(problems.isEmpty() ? "" : "; ").append(e.getMessage());
            }
        }
        throw new TransferException(problems.isEmpty()
                ? "there is no RDMA device; load the driver of your adapter, or make a software one (rdma link add rxe0"
                        + " type rxe netdev INTERFACE)"
                : "no RDMA device has a usable port: " + problems);
    }

    private static PortChoice ofDevice(LocalDevice device, NetworkOptions network, String reason) {
        if (device.attributes() == null) {
            throw new TransferException("device " + device.name() + " cannot be asked: " + device.problem());
        }
        List<Setting> settings = new ArrayList<>();
        settings.add(new Setting("device", device.name(), reason));
        List<Port> ports = device.attributes().ports();
        if (network.device() != null && network.port() != NetworkOptions.UNSET) {
            Port named = ports.stream().filter(port -> port.number() == network.port()).findFirst()
                    .orElseThrow(() -> new TransferException("device " + device.name() + " has no port "
                            + network.port() + "; set RDMA_DEVICE_PORT to one of "
                            + ports.stream().map(Port::number).toList() + ", or unset it"));
            return ofPort(device, named, network, "RDMA_DEVICE_PORT or --rdma-port names it", settings);
        }
        // As TensorFlow has it: which port is meant can only be said of a device that is known.
        String ignored = network.port() == NetworkOptions.UNSET ? ""
                : "; port=" + network.port() + " was asked for, which counts only with a device named";
        StringBuilder problems = new StringBuilder();
        for (Port port : ports) {
            try {
                return ofPort(device, port, network,
                        "the first usable one of " + ports.size() + (problems.isEmpty() ? "" : ", after " + problems)
                                + ignored,
                        settings);
            } catch (TransferException e) {
                problems.append(problems.isEmpty() ? "" : "; ").append(e.getMessage());
            }
        }
        throw new TransferException(problems.isEmpty() ? "device " + device.name() + " has no port"
                : problems.toString());
    }

    private static PortChoice ofPort(LocalDevice device, Port port, NetworkOptions network, String reason,
            List<Setting> deviceSettings) {
        String where = "port " + port.number() + " of " + device.name();
        if (port.state() != PortState.ACTIVE) {
            throw new TransferException(where + " is " + port.state() + ", not ACTIVE; " + remedy(port));
        }
        if (port.linkLayer() == LinkLayer.ETHERNET && network.serviceLevel() > ETHERNET_PRIORITY_MAX) {
            throw new TransferException("serviceLevel=" + network.serviceLevel() + " cannot be used on " + where
                    + ", where it is an Ethernet priority; set RDMA_QP_SL to 0 to " + ETHERNET_PRIORITY_MAX);
        }
        GidChoice gid = GidChoice.of(port, where, network.gidIndex());
        int mtu = mtu(port, where, network.mtu());
        List<Setting> settings = new ArrayList<>(deviceSettings);
        settings.add(new Setting("port", Integer.toString(port.number()), "ACTIVE, " + reason));
        settings.add(new Setting("gidIndex", Integer.toString(gid.entry().index()), gid.reason()));
        settings.add(new Setting("gid", gid.entry().gid().toString(), gid.entry().type() + ", at that index"));
        settings.add(new Setting("mtu", Integer.toString(mtu), network.mtu() == NetworkOptions.UNSET
                ? "the port's active MTU"
                : "RDMA_QP_MTU or --rdma-mtu asks for it, and the port's active MTU " + port.activeMtuBytes()
                        + " allows it"));
        settings.addAll(DeviceTraits.of(device, network).settings());
        settings.addAll(QueuePairSettings.of(network));
        return new PortChoice(device, port, gid.entry(), mtu, settings);
    }

    private static int mtu(Port port, String where, int asked) {
        if (asked == NetworkOptions.UNSET && port.activeMtuBytes() == 0) {
            throw new TransferException(where + " does not say its active MTU; set RDMA_QP_MTU");
        }
        if (asked > port.activeMtuBytes()) {
            throw new TransferException("mtu=" + asked + " is more than the active MTU " + port.activeMtuBytes()
                    + " of " + where + "; set RDMA_QP_MTU to " + port.activeMtuBytes()
                    + " or less, or raise the MTU of its network interface");
        }
        return asked == NetworkOptions.UNSET ? port.activeMtuBytes() : asked;
    }

    private static String remedy(Port port) {
        return port.linkLayer() == LinkLayer.ETHERNET
                ? "bring its network interface up (ip link set INTERFACE up) and plug the cable in"
                : "plug the cable in and see that the subnet has a subnet manager";
    }
}
