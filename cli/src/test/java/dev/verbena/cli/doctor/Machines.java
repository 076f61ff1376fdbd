package dev.verbena.cli.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.transfer.RdmaPort;
import dev.verbena.transfer.spi.Setting;
import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceLimits;
import dev.verbena.verbs.ForkSupport;
import dev.verbena.verbs.Gid;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.GidType;
import dev.verbena.verbs.Guid;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.PortState;
import dev.verbena.verbs.Provider;
import dev.verbena.verbs.TransportType;
import dev.verbena.verbs.VerbsLibrary;

/** Made-up machines: a healthy one with soft-RoCE, to be spoiled in one place by each test. */
final class Machines {
    static final long NEEDED = 1 << 20;
    static final GidEntry IPV4 = new GidEntry(1, Gid.parse("::ffff:192.0.2.1"), GidType.ROCE_V2, 3);
    static final GidEntry LINK_LOCAL = new GidEntry(0, Gid.parse("fe80::1"), GidType.ROCE_V2, 3);

    final Map<String, String> environment = new LinkedHashMap<>();
    final Map<String, String> fabrics = new LinkedHashMap<>(Map.of("shm", ""));
    JavaSeen java = new JavaSeen(25, true);
    List<VerbsLibrary> libraries = List.of(new VerbsLibrary("libibverbs.so.1", "/lib/libibverbs.so.1.14.44.0", null));
    String verbsProblem;
    List<DeviceSeen> devices = List.of(device(port(PortState.ACTIVE, LinkLayer.ETHERNET, 1024, LINK_LOCAL, IPV4)));
    RdmaPort port = new RdmaPort("rxe0", 1, 1024, 3, List.of(new Setting("device", "rxe0", "the first")));
    String portProblem;
    ForkSupport fork = ForkSupport.UNNEEDED;
    long needed = NEEDED;
    boolean canOpen = true;
    private final Path root;

    private Machines(Path root) {
        this.root = root;
    }

    static Machines healthy(Path root) {
        Machines machine = new Machines(root);
        machine.file("/sys/module/ib_uverbs/refcnt", "1");
        machine.file("/sys/class/infiniband/rxe0/node_desc", "rxe0");
        machine.file("/sys/class/infiniband_verbs/abi_version", "6");
        machine.file("/sys/class/infiniband_verbs/uverbs0/ibdev", "rxe0\n");
        machine.file("/dev/infiniband/uverbs0", "");
        machine.file("/sys/class/net/lo/ifindex", "1\n");
        machine.file("/sys/class/net/rdma0/ifindex", "3\n");
        machine.file("/sys/class/net/rdma0/mtu", "1500\n");
        machine.file("/dev/shm/x", "");
        machine.file("/proc/meminfo", "MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\nSwapFree: 0 kB\n");
        machine.limits("unlimited", "20000");
        return machine;
    }

    /** One that has never heard of RDMA. */
    static Machines plain(Path root) {
        Machines machine = new Machines(root);
        machine.file("/dev/shm/x", "");
        machine.file("/proc/meminfo", "MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\nSwapFree: 0 kB\n");
        machine.limits("8388608", "20000");
        machine.verbsProblem = "This kernel has no RDMA: load a driver.";
        machine.portProblem = machine.verbsProblem;
        machine.port = null;
        machine.fork = null;
        machine.devices = List.of();
        return machine;
    }

    Machines limits(String lockedBytes, String openFiles) {
        return file("/proc/self/limits", """
                Limit                     Soft Limit           Hard Limit           Units
                Max open files            %s                1048576              files
                Max locked memory         %s              unlimited            bytes
                """.formatted(openFiles, lockedBytes));
    }

    Machines file(String path, String text) {
        try {
            Path file = root.resolve(path.substring(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Machines without(String path) {
        try {
            Files.delete(root.resolve(path.substring(1)));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Machine seen() {
        return new Machine(new SystemFiles(root, _ -> canOpen), environment, java, needed, libraries, verbsProblem,
                devices, port, portProblem, fork, fabrics);
    }

    /** What the check finds, which must be one thing. */
    Finding look(Check check) {
        List<Finding> findings = check.look(seen());
        if (findings.size() != 1) {
            throw new AssertionError("findings: " + findings);
        }
        return findings.getFirst();
    }

    static DeviceSeen device(Port... ports) {
        return device(-1, ports);
    }

    static DeviceSeen device(long regionByteSizeMax, Port... ports) {
        DeviceLimits limits = new DeviceLimits(regionByteSizeMax, 4096, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                1 << 17, 1);
        return new DeviceSeen("rxe0", TransportType.INFINIBAND, new Provider("rxe"),
                new DeviceAttributes("", new Guid(1), 0, 0, 0, limits, List.of(ports)), null);
    }

    /** As soft-iWARP describes itself: no atomics, one element of a read, no windows, the hardware address for a GID. */
    static DeviceSeen iwarp() {
        DeviceLimits limits = new DeviceLimits(-1, 4096, 1, 1, 6, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1 << 21, 0);
        Port port = port(PortState.ACTIVE, LinkLayer.ETHERNET, 1024,
                new GidEntry(0, new Gid(0x0200_0000_0001_0000L, 0), GidType.INFINIBAND, 0));
        return new DeviceSeen("siw0", TransportType.IWARP, new Provider("siw"),
                new DeviceAttributes("", new Guid(1), 0, 0, 0, limits, List.of(port)), null);
    }

    static Port port(PortState state, LinkLayer linkLayer, int activeMtu, GidEntry... gids) {
        return new Port(1, state, 4096, activeMtu, 0, 0, 0, linkLayer, 1 << 20, List.of(gids));
    }
}
