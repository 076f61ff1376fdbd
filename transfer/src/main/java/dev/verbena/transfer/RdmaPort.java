package dev.verbena.transfer;

import java.util.List;

import dev.verbena.transfer.fabric.verbs.PortChoice;
import dev.verbena.transfer.spi.Setting;

/**
 * The RDMA port of this machine that a fabric would use, found without opening one.
 *
 * <p><b>Owner:</b> none, it holds nothing open. <b>Threading:</b> immutable.
 *
 * @param device such as mlx5_0
 * @param number of the port, from 1
 * @param mtu of the path, in bytes
 * @param networkInterfaceIndex of the interface that its GID belongs to, as {@code ip link} numbers them; 0 for none
 * @param settings everything that the fabric would use, each with its reason
 */
public record RdmaPort(String device, int number, int mtu, int networkInterfaceIndex, List<Setting> settings) {
    /** Keeps a copy of the list of settings, which must hold no null. */
    public RdmaPort {
        settings = List.copyOf(settings);
    }

    /**
     * What was asked for, or the first that will do.
     *
     * @throws TransferException where none will do; one sentence that says why and what to do
     */
    public static RdmaPort choose(NetworkOptions network) {
        PortChoice choice = PortChoice.ofMachine(network);
        return new RdmaPort(choice.device().name(), choice.port().number(), choice.mtu(),
                choice.gidEntry().networkInterfaceIndex(), choice.settings());
    }
}
