package dev.verbena.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Which member of a group this process is, by the variables that launchers set: {@code RANK}, {@code WORLD_SIZE}, {@code MASTER_ADDR} and
 * {@code MASTER_PORT} of torchrun and {@code verbena launch}, or what Open MPI, MPICH, Slurm and Kubernetes set instead. Rank 0 listens at the
 * latter two, and all members learn there where the others do.
 *
 * <pre>
 *   GroupEnvironment environment = GroupEnvironment.of(System.getenv());
 *   RdmaDevice device = RdmaDevice.create(environment.deviceOptions(RdmaDeviceOptions.defaults()));
 *   List&lt;Endpoint&gt; members = environment.meet(device, timeout);
 *   Group group = device.group("workers", environment.rank(), members, arena, GroupOptions.defaults());
 * </pre>
 *
 * @param rank from 0
 * @param size how many members there are
 * @param master where rank 0 listens
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record GroupEnvironment(int rank, int size, Endpoint master) {
    /** A group of one meets nobody, and may listen anywhere. */
    private static final GroupEnvironment ALONE = new GroupEnvironment(0, 1, new Endpoint("127.0.0.1", 0));

    /** Throws {@link IllegalArgumentException} unless rank is 0 to size - 1 and, in a group of two or more, the master has a port other than 0. */
    public GroupEnvironment {
        if (size < 1 || rank < 0 || rank >= size) {
            throw new IllegalArgumentException(
                    "rank=" + rank + " of size=" + size + "; give ranks from 0 to the size less 1");
        }
        if (size > 1 && master.port() == 0) {
            throw new IllegalArgumentException("master=" + master + " has no port, which all members must know");
        }
    }

    /**
     * As these variables say; a group of one where no launcher has set any. The guide on launchers has the variables of each.
     *
     * @throws IllegalArgumentException which names the variable that is missing or wrong
     */
    public static GroupEnvironment of(Map<String, String> environment) {
        LauncherVariables variables = new LauncherVariables(environment);
        return variables.isGroup()
                ? new GroupEnvironment(variables.rank(), variables.size(),
                        new Endpoint(variables.masterHost(), variables.masterPort()))
                : ALONE;
    }

    /**
     * The options, with a name that says the rank, and where to listen: rank 0 as the others expect it, those at the address from which they
     * reach it.
     *
     * @throws IllegalArgumentException if the master's host is not known
     */
    public RdmaDeviceOptions deviceOptions(RdmaDeviceOptions options) {
        InetAddress address = address();
        Endpoint local = rank == 0 ? new Endpoint(address.getHostAddress(), master.port())
                : new Endpoint(reaching(address).getHostAddress(), 0);
        return options.withName("rank " + rank).withLocalEndpoint(local);
    }

    private InetAddress address() {
        try {
            return InetAddress.getByName(master.host());
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("the host of rank 0, " + LauncherVariables.ADDRESS + "=" + master.host()
                    + ", is not known here; give a name that all members resolve, or an address", e);
        }
    }

    /** Nothing is sent: the system only says by which address it would be. */
    private InetAddress reaching(InetAddress address) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(address, master.port()));
            return socket.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException("no way to rank 0 at " + master, e);
        }
    }

    /**
     * Where each rank's device listens, as soon as all members have called this; once for each device, which was made of
     * {@link #deviceOptions}. Says on the log, every five seconds, who is missing.
     *
     * @throws TransferException if not all have come in time, which says who has not; or if this one is not wanted: another has its rank, or was
     *             given another size
     */
    public List<Endpoint> meet(RdmaDevice device, Duration timeout) {
        if (size == 1) {
            return List.of(device.endpoint());
        }
        return rank == 0 ? new GroupMeeting.Host(this, device).await(timeout)
                : new GroupMeeting.Guest(this, device).await(timeout);
    }

    /** For messages. */
    @Override
    public String toString() {
        return "rank " + rank + " of " + size + ", rank 0 at " + master;
    }
}
