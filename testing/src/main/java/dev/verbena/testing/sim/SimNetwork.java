package dev.verbena.testing.sim;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;

/**
 * Who listens on which port of the one host that there is.
 *
 * <p><b>Owner:</b> the simulation. <b>Threading:</b> confined to it.
 */
final class SimNetwork {
    private static final Set<String> HOSTS = Set.of("localhost", "127.0.0.1", "0.0.0.0", "::1", "::");
    private static final int FIRST_FREE_PORT = 32_768;
    private static final int PORT_MAX = 65_535;

    private final Map<Integer, SimFabric> listening = new TreeMap<>();
    private int nextPort = FIRST_FREE_PORT;

    Endpoint bind(Endpoint local, SimFabric fabric) {
        String refusal = "cannot listen at " + local + ": ";
        if (!HOSTS.contains(local.host())) {
            throw new TransferException(refusal + "the simulated network has localhost alone");
        }
        if (listening.containsKey(local.port())) {
            throw new TransferException(refusal + "port " + local.port() + " is in use, take another or 0");
        }
        int port = local.port() == 0 ? freePort() : local.port();
        listening.put(port, fabric);
        return new Endpoint(local.host(), port);
    }

    private int freePort() {
        do {
            nextPort = nextPort == PORT_MAX ? FIRST_FREE_PORT : nextPort + 1;
        } while (listening.containsKey(nextPort));
        return nextPort;
    }

    void unbind(Endpoint endpoint) {
        listening.remove(endpoint.port());
    }

    boolean isKnown(String host) {
        return HOSTS.contains(host);
    }

    /** Null if nobody listens there. */
    SimFabric at(Endpoint endpoint) {
        return listening.get(endpoint.port());
    }

    List<String> holdings() {
        return listening.entrySet().stream().map(each -> "port " + each.getKey() + " of " + each.getValue()).toList();
    }
}
