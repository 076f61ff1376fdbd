package dev.verbena.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaPort;
import dev.verbena.verbs.Need;
import dev.verbena.verbs.Needs;
import dev.verbena.verbs.TestedDevice;
import dev.verbena.verbs.TransportType;
import picocli.CommandLine.Help.Ansi;

/** Where there is a device, the checks find it, and what is wrong with what was asked of it. */
class DiagnosisOnDevice {
    private static final NetworkOptions NETWORK = NetworkOptions.defaults().withDevice(TestedDevice.name());

    @Test
    void theVerbsFabricCanBeUsed() {
        Diagnosis diagnosis = Diagnosis.ofThisMachine(NETWORK, 1 << 20);
        assertEquals(List.of("verbs", "shm"), diagnosis.usable(), diagnosis::toString);
        for (String check : List.of("kernel modules", "device files", "RDMA devices", "port state", "GID", "MTU",
                "port to use", "region limit", "fork")) {
            List<Finding> its = diagnosis.findings().stream().filter(finding -> finding.check().equals(check)).toList();
            assertTrue(!its.isEmpty() && its.stream().allMatch(finding -> finding.status() == Status.OK),
                    () -> check + ": " + diagnosis);
        }
    }

    /** Whatever the device: what it lacks is said before anything is started, and nothing else. */
    @Test
    void whatADeviceLacksIsSaid() {
        Diagnosis diagnosis = Diagnosis.ofThisMachine(NetworkOptions.defaults(), 1 << 20);
        for (DeviceSeen device : DeviceSeen.all()) {
            Finding abilities = diagnosis.findings().stream()
                    .filter(each -> each.check().equals("abilities") && each.seen().startsWith(device.name() + " "))
                    .findFirst().orElseThrow(() -> new AssertionError(diagnosis.toString()));
            boolean isIwarp = device.transport() == TransportType.IWARP;
            assertEquals(isIwarp, abilities.seen().contains("connects through rdma_cm only"), abilities::toString);
            assertEquals(isIwarp || device.attributes().limits().atomicCapability() == 0,
                    abilities.seen().contains("has no atomics"), abilities::toString);
            assertEquals(device.attributes().limits().readElementCountMax() <= 1,
                    abilities.seen().contains("reads into one element only"), abilities::toString);
            assertEquals(device.nature().lacks().isEmpty() ? Status.OK : Status.WARNING, abilities.status());
            assertEquals(List.of(), abilities.stops(), abilities::toString);
        }
    }

    @Test
    @Needs(Need.ADDRESS_VECTORS)
    void anMtuBeyondThePortsStopsIt() {
        int active = RdmaPort.choose(NETWORK).mtu();
        assumeTrue(active < 4096, "skipped: the port has the largest MTU there is");
        NetworkOptions network = NETWORK.withMtu(4096);
        Diagnosis diagnosis = Diagnosis.ofThisMachine(network, 1 << 20);
        assertEquals(List.of("shm"), diagnosis.usable(), diagnosis::toString);
        assertTrue(diagnosis.toText(Ansi.OFF).contains("mtu=4096 is more than the active MTU " + active + " of port "),
                diagnosis::toString);
    }
}
