package dev.verbena.cli.doctor;

import static dev.verbena.cli.doctor.Machines.IPV4;
import static dev.verbena.cli.doctor.Machines.LINK_LOCAL;
import static dev.verbena.cli.doctor.Machines.NEEDED;
import static dev.verbena.cli.doctor.Machines.device;
import static dev.verbena.cli.doctor.Machines.port;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.transfer.RdmaPort;
import dev.verbena.verbs.ForkSupport;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.PortState;
import dev.verbena.verbs.TransportType;
import dev.verbena.verbs.VerbsLibrary;

/** Each check is content with a healthy machine, and finds what is spoiled. */
class CheckTest {
    @TempDir
    private Path root;
    private Machines machine;

    @BeforeEach
    void healthy() {
        machine = Machines.healthy(root);
    }

    @Test
    void nativeAccess() {
        assertOk(machine.look(new NativeAccessCheck()), "--enable-native-access=ALL-UNNAMED");
        machine.environment.put("JDK_JAVA_OPTIONS", "--illegal-native-access=deny");
        assertFound(Status.WARNING, machine.look(new NativeAccessCheck()), "JDK_JAVA_OPTIONS", "--enable-native");
        machine.environment.put("JDK_JAVA_OPTIONS", "--illegal-native-access=deny --enable-native-access=a");
        assertOk(machine.look(new NativeAccessCheck()), "allowed");
        machine.java = new JavaSeen(25, false);
        assertFound(Status.WARNING, machine.look(new NativeAccessCheck()), "Java 25", "--enable-native");
    }

    @Test
    void libraries() {
        assertOk(machine.look(new LibraryCheck()), "rdma-core 44.0");
        machine.libraries = List.of(new VerbsLibrary("libibverbs.so.1", null, "install rdma-core"));
        assertStops("verbs", assertFound(Status.WARNING, machine.look(new LibraryCheck()), "libibverbs", "install"));
    }

    @Test
    void kernelModules() {
        assertOk(machine.look(new KernelModuleCheck()), "rdma_rxe (soft-RoCE) is not");
        assertOk(machine.file("/sys/module/rdma_rxe/refcnt", "1").look(new KernelModuleCheck()), "too");
        machine.without("/sys/module/ib_uverbs/refcnt").without("/sys/module/ib_uverbs");
        assertStops("verbs", assertFound(Status.WARNING, machine.look(new KernelModuleCheck()), "ib_uverbs",
                "modprobe ib_uverbs"));
    }

    @Test
    void deviceFilesThatAContainerLacks() {
        assertOk(machine.look(new DeviceFileCheck()), "/dev/infiniband/uverbs0 of rxe0 can be opened");
        machine.canOpen = false;
        assertStops("verbs", assertFound(Status.PROBLEM, machine.look(new DeviceFileCheck()), "may not be read",
                "chmod 666 /dev/infiniband/uverbs0"));
        machine.without("/dev/infiniband/uverbs0");
        assertStops("verbs", assertFound(Status.PROBLEM, machine.look(new DeviceFileCheck()), "is missing",
                "docker run --device="));
    }

    @Test
    void devices() {
        assertOk(machine.look(new DeviceCheck()), "rxe0");
        machine.devices = List.of(new DeviceSeen("rxe0", TransportType.INFINIBAND, null, null, "may not be opened"));
        assertFound(Status.PROBLEM, machine.look(new DeviceCheck()), "rxe0 does not answer", "may not be opened");
        machine.devices = List.of();
        machine.verbsProblem = "load the driver";
        assertStops("verbs", assertFound(Status.PROBLEM, machine.look(new DeviceCheck()), "libibverbs finds none",
                "ibverbs-providers"));
        machine.without("/sys/class/infiniband/rxe0/node_desc").without("/sys/class/infiniband/rxe0");
        assertStops("verbs", assertFound(Status.WARNING, machine.look(new DeviceCheck()), "there is none",
                "load the driver"));
    }

    @Test
    void abilities() {
        assertOk(machine.look(new NatureCheck()), "rxe0 speaks RoCE in software (rxe)");
        machine.devices = List.of(Machines.iwarp());
        Finding iwarp = assertFound(Status.WARNING, machine.look(new NatureCheck()),
                "siw0 speaks iWARP in software (siw), for tests, not for speed; it connects through rdma_cm only,"
                        + " has no atomics, has no immediates, has no datagrams, reads into one element only, has no memory"
                        + " windows",
                "perf atomic_lat");
        assertEquals(List.of(), iwarp.stops());
        machine.devices = List.of(new DeviceSeen("siw0", TransportType.IWARP, null, null, "does not answer"));
        assertEquals(List.of(), new NatureCheck().look(machine.seen()), "said elsewhere");
    }

    @Test
    void connectionManager() {
        assertEquals(List.of(), new ConnectionManagerCheck().look(machine.seen()), "RoCE does without");
        machine.devices = List.of(Machines.iwarp());
        assertEquals(List.of(), assertFound(Status.PROBLEM, machine.look(new ConnectionManagerCheck()),
                "/dev/infiniband/rdma_cm is missing", "--device=/dev/infiniband/rdma_cm").stops());
        machine.port = new RdmaPort("siw0", 1, 1024, 0, List.of());
        assertStops("verbs", machine.look(new ConnectionManagerCheck()));
        machine.file("/dev/infiniband/rdma_cm", "");
        assertOk(machine.look(new ConnectionManagerCheck()), "siw0 connects through /dev/infiniband/rdma_cm");
        machine.canOpen = false;
        assertStops("verbs", assertFound(Status.PROBLEM, machine.look(new ConnectionManagerCheck()),
                "may not be read", "chmod 666 /dev/infiniband/rdma_cm"));
    }

    @Test
    void iwarpMakesItsOwnPackets() {
        machine.devices = List.of(Machines.iwarp());
        assertOk(machine.look(new MtuCheck()), "siw0 port 1 leaves it to TCP");
    }

    @Test
    void portState() {
        assertOk(machine.look(new PortStateCheck()), "rxe0 port 1 is ACTIVE");
        machine.devices = List.of(device(port(PortState.DOWN, LinkLayer.ETHERNET, 1024)));
        assertFound(Status.WARNING, machine.look(new PortStateCheck()), "is DOWN", "ip link set");
        machine.devices = List.of(device(port(PortState.INIT, LinkLayer.INFINIBAND, 4096)));
        assertFound(Status.WARNING, machine.look(new PortStateCheck()), "is INIT", "opensm");
    }

    @Test
    void gid() {
        assertOk(machine.look(new GidCheck()), "::ffff:192.0.2.1 (RoCE v2) at index 1");
        machine.devices = List.of(device(port(PortState.ACTIVE, LinkLayer.ETHERNET, 1024, LINK_LOCAL)));
        assertFound(Status.WARNING, machine.look(new GidCheck()), "no IPv4 address", "ip addr add");
        machine.devices = List.of(device(port(PortState.ACTIVE, LinkLayer.ETHERNET, 1024)));
        assertFound(Status.PROBLEM, machine.look(new GidCheck()), "has none", "ip addr add");
        machine.devices = List.of(device(port(PortState.ACTIVE, LinkLayer.INFINIBAND, 4096, LINK_LOCAL)));
        assertOk(machine.look(new GidCheck()), "fe80");
        machine.devices = List.of(device(port(PortState.DOWN, LinkLayer.ETHERNET, 1024)));
        assertEquals(List.of(), new GidCheck().look(machine.seen()), "a port that is down is said elsewhere");
        DeviceSeen rxe = device(port(PortState.ACTIVE, LinkLayer.ETHERNET, 1024, LINK_LOCAL));
        machine.devices = List.of(new DeviceSeen("siw0", TransportType.IWARP, null, rxe.attributes(), null));
        assertOk(machine.look(new GidCheck()), "siw0 port 1 needs none");
    }

    @Test
    void mtu() {
        assertOk(machine.look(new MtuCheck()), "interface MTU of 4192");
        assertFound(Status.PROBLEM, machine.file("/sys/class/net/rdma0/mtu", "1000").look(new MtuCheck()),
                "packets get lost", "ip link set rdma0 mtu 1120");
        assertFound(Status.WARNING, machine.file("/sys/class/net/rdma0/mtu", "4192").look(new MtuCheck()),
                "which allows 4096", "ip link set rdma0");
        assertOk(machine.file("/sys/class/net/rdma0/mtu", "2143").look(new MtuCheck()), "2143");
        machine.devices = List.of(device(port(PortState.ACTIVE, LinkLayer.ETHERNET, 4096, IPV4)));
        Finding full = machine.file("/sys/class/net/rdma0/mtu", "9000").look(new MtuCheck());
        assertOk(full, "4096");
        assertFalse(full.seen().contains("would take"), full.seen());
    }

    @Test
    void portToUse() {
        assertOk(machine.look(new ChoiceCheck()), "device rxe0");
        machine.port = null;
        machine.portProblem = "set RDMA_QP_MTU";
        assertStops("verbs", assertFound(Status.PROBLEM, machine.look(new ChoiceCheck()), "none", "RDMA_QP_MTU"));
    }

    @Test
    void regionLimit() {
        assertOk(machine.look(new RegionLimitCheck()), "any size");
        machine.devices = List.of(device(NEEDED));
        assertOk(machine.look(new RegionLimitCheck()), "1048576 bytes");
        machine.needed = NEEDED + 1;
        assertFound(Status.WARNING, machine.look(new RegionLimitCheck()), "a run needs 1048577", "slabs");
    }

    @Test
    void memlock() {
        assertOk(machine.look(new MemlockCheck()), "no limit");
        assertOk(machine.limits(Long.toString(NEEDED), "1024").look(new MemlockCheck()), "1048576");
        machine.limits(Long.toString(NEEDED - 1), "1024");
        assertStops("verbs", assertFound(Status.PROBLEM, machine.look(new MemlockCheck()), "1048575", "ulimit -l"));
        machine.devices = List.of();
        assertEquals(List.of(), assertFound(Status.WARNING, machine.look(new MemlockCheck()), "RDMA only",
                "ulimit -l").stops());
        assertFound(Status.WARNING, machine.without("/proc/self/limits").look(new MemlockCheck()), "cannot be read",
                "ulimit -l");
    }

    @Test
    void theCapabilityToLockCountsInTheInitialUserNamespaceOnly() {
        machine.limits("0", "1024").file("/proc/self/status", "Name:\tjava\nCapEff:\t0000000000004000\n")
                .file("/proc/self/uid_map", "         0          0 4294967295\n");
        assertOk(machine.look(new MemlockCheck()), "CAP_IPC_LOCK");
        machine.file("/proc/self/uid_map", "         0       1000          1\n");
        assertFound(Status.PROBLEM, machine.look(new MemlockCheck()), "at most 0 bytes", "ulimit -l");
        machine.file("/proc/self/uid_map", "0 0 4294967295").file("/proc/self/status", "CapEff:\t0000003fffffbfff");
        assertFound(Status.PROBLEM, machine.look(new MemlockCheck()), "at most 0 bytes", "ulimit -l");
    }

    @Test
    void fork() {
        assertOk(machine.look(new ForkCheck()), "copies registered memory");
        machine.fork = ForkSupport.ENABLED;
        assertFound(Status.WARNING, machine.look(new ForkCheck()), "splits", "RDMAV_FORK_SAFE");
        machine.fork = ForkSupport.DISABLED;
        assertFound(Status.WARNING, machine.look(new ForkCheck()), "forks", "5.12");
    }

    @Test
    void openFiles() {
        assertOk(machine.look(new OpenFilesCheck()), "20000");
        assertOk(machine.limits("0", "1024").look(new OpenFilesCheck()), "1024");
        assertFound(Status.WARNING, machine.limits("0", "1023").look(new OpenFilesCheck()), "1023", "ulimit -n");
        assertFound(Status.WARNING, machine.without("/proc/self/limits").look(new OpenFilesCheck()),
                "cannot be read", "ulimit -n");
    }

    @Test
    void sharedMemory() {
        assertOk(machine.look(new SharedMemoryCheck()), "1073741824 bytes of memory to share");
        machine.needed = 1L << 60;
        assertStops("shm", assertFound(Status.PROBLEM, machine.look(new SharedMemoryCheck()), "1152921504606846976",
                "end other programs"));
        machine.environment.put("VERBENA_SHM_DIR", "/dev/shm");
        assertStops("shm", assertFound(Status.PROBLEM, machine.look(new SharedMemoryCheck()), "1152921504606846976",
                "size=1099511627776m /dev/shm"));
        machine.environment.put("VERBENA_SHM_DIR", "/mnt/none");
        assertStops("shm", assertFound(Status.PROBLEM, machine.look(new SharedMemoryCheck()),
                "/mnt/none is not there", "VERBENA_SHM_DIR"));
    }

    @Test
    void fabrics() {
        assertOk(machine.look(new FabricCheck()), "shm can be used");
        machine.fabrics.put("shm", "mount a tmpfs");
        assertStops("shm", assertFound(Status.WARNING, machine.look(new FabricCheck()), "shm cannot", "tmpfs"));
    }

    private static void assertOk(Finding finding, String seen) {
        assertEquals(Status.OK, finding.status(), finding.toString());
        assertTrue(finding.seen().contains(seen), finding.toString());
        assertEquals("", finding.remedy());
        assertEquals(List.of(), finding.stops());
    }

    private static Finding assertFound(Status status, Finding finding, String seen, String remedy) {
        assertEquals(status, finding.status(), finding.toString());
        assertTrue(finding.seen().contains(seen), finding.toString());
        assertTrue(finding.remedy().contains(remedy), finding.toString());
        return finding;
    }

    private static void assertStops(String fabric, Finding finding) {
        assertEquals(List.of(fabric), finding.stops(), finding.toString());
    }
}
