package dev.verbena.cli.doctor;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaPort;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.FabricProvider;
import dev.verbena.verbs.ForkSupport;
import dev.verbena.verbs.Verbs;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.VerbsLibrary;

/**
 * All that the checks look at, gathered before they look.
 *
 * @param environment the process's
 * @param neededByteSize what a run is going to register
 * @param verbsProblem why there is no RDMA device to use; null where there is one
 * @param devices those that libibverbs lists
 * @param port which one a fabric would use; null where there is none
 * @param portProblem why not; null where there is one
 * @param fork null where libibverbs cannot be asked
 * @param fabrics each with why it cannot be used, empty where it can
 */
record Machine(SystemFiles files, Map<String, String> environment, JavaSeen java, long neededByteSize,
        List<VerbsLibrary> libraries, String verbsProblem, List<DeviceSeen> devices, RdmaPort port, String portProblem,
        ForkSupport fork, Map<String, String> fabrics) {
    static Machine ofThisMachine(NetworkOptions network, long neededByteSize) {
        RdmaPort port = null;
        String portProblem = null;
        try {
            port = RdmaPort.choose(network);
        } catch (TransferException | VerbsException e) {
            portProblem = e.getMessage();
        }
        Map<String, String> fabrics = new LinkedHashMap<>();
        for (FabricProvider provider : Fabrics.all()) {
            String reason = provider.unavailableReason(network);
            fabrics.put(provider.name(), reason == null ? "" : reason);
        }
        String verbsProblem = Verbs.unavailableReason();
        return new Machine(SystemFiles.ofThisMachine(), System.getenv(), JavaSeen.now(), neededByteSize,
                VerbsLibrary.all(), verbsProblem, verbsProblem == null ? DeviceSeen.all() : List.of(), port,
                portProblem, verbsProblem == null ? ForkSupport.now() : null, fabrics);
    }

    /** Whether the kernel knows an RDMA device, whether or not this process sees it. */
    boolean hasRdma() {
        return !files.names("/sys/class/infiniband").isEmpty();
    }

    /** The name of a network interface that the kernel knows by that number, or null. */
    String networkInterface(int index) {
        return files.names("/sys/class/net").stream()
                .filter(name -> files.read("/sys/class/net/" + name + "/ifindex").equals(Integer.toString(index)))
                .findFirst().orElse(null);
    }
}
