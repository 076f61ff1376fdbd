package dev.verbena.transfer.fabric.verbs;

import static dev.verbena.transfer.fabric.verbs.Devices.device;
import static dev.verbena.transfer.fabric.verbs.Devices.ethernet;
import static dev.verbena.transfer.fabric.verbs.Devices.infiniBand;
import static dev.verbena.transfer.fabric.verbs.Devices.ipv4;
import static dev.verbena.transfer.fabric.verbs.Devices.mute;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Setting;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.GidType;
import dev.verbena.verbs.PortState;
import dev.verbena.verbs.Verbs;

class PortChoiceTest {
    private static final GidEntry GID = ipv4(1, GidType.ROCE_V2, 192, 0, 2, 1);
    private static final NetworkOptions DEFAULTS = NetworkOptions.defaults();

    private final List<LocalDevice> machine = List.of(
            mute("gone0", "ibv_open_device failed"),
            device("mlx5_0", ethernet(1, PortState.DOWN, 4096, GID)),
            device("mlx5_1", ethernet(1, PortState.INIT, 1024, GID), ethernet(2, PortState.ACTIVE, 1024),
                    ethernet(3, PortState.ACTIVE, 2048, GID)),
            device("mlx5_2", ethernet(1, PortState.ACTIVE, 4096, GID)));

    @Test
    void theFirstUsablePortUnlessSomethingIsNamed() {
        PortChoice choice = PortChoice.of(machine, DEFAULTS);
        assertEquals("mlx5_1", choice.device().name());
        assertEquals(3, choice.port().number());
        assertEquals(GID, choice.gidEntry());
        assertEquals(2048, choice.mtu());
        assertEquals("mlx5_1", setting(choice, "device").value());
        String reason = setting(choice, "device").reason();
        assertTrue(reason.contains("port 1 of mlx5_0 is DOWN") && reason.contains("gone0 cannot be asked"), reason);
        reason = setting(choice, "port").reason();
        assertTrue(reason.contains("port 1 of mlx5_1 is INIT") && reason.contains("port 2 of mlx5_1 has no GID"),
                reason);
        assertEquals("the port's active MTU", setting(choice, "mtu").reason());
        assertEquals("::ffff:192.0.2.1", setting(choice, "gid").value());
        choice.settings().forEach(each -> assertFalse(each.reason().isBlank(), each.name()));
    }

    @Test
    void whatIsNamedIsTaken() {
        PortChoice choice = PortChoice.of(machine, DEFAULTS.withDevice("mlx5_2"));
        assertEquals("mlx5_2", choice.device().name());
        assertTrue(setting(choice, "device").reason().contains("RDMA_DEVICE"));
        choice = PortChoice.of(machine, DEFAULTS.withDevice("mlx5_1").withPort(3));
        assertTrue(setting(choice, "port").reason().contains("RDMA_DEVICE_PORT"), choice.settings()::toString);
    }

    @Test
    void aPortWithoutADeviceCountsForNothingAndThatIsSaid() {
        PortChoice choice = PortChoice.of(machine, DEFAULTS.withPort(1));
        assertEquals(3, choice.port().number());
        assertTrue(setting(choice, "port").reason().contains("port=1 was asked for"), choice.settings()::toString);
    }

    @Test
    void whatIsNamedAndNotThereIsRefused() {
        assertProblem(machine, DEFAULTS.withDevice("mlx4_0"), "'mlx4_0'", "mlx5_0, mlx5_1, mlx5_2", "RDMA_DEVICE");
        assertProblem(machine, DEFAULTS.withDevice("gone0"), "gone0", "ibv_open_device failed");
        assertProblem(machine, DEFAULTS.withDevice("mlx5_1").withPort(4), "no port 4", "[1, 2, 3]", "RDMA_DEVICE_PORT");
        assertProblem(machine, DEFAULTS.withDevice("mlx5_1").withPort(1), "port 1 of mlx5_1 is INIT");
        assertProblem(List.of(device("a0")), DEFAULTS.withDevice("a0"), "a0 has no port");
    }

    @ParameterizedTest
    @EnumSource(value = PortState.class, mode = EnumSource.Mode.EXCLUDE, names = "ACTIVE")
    void onlyActivePortsWillDo(PortState state) {
        assertProblem(List.of(device("a0", ethernet(1, state, 1024, GID))), DEFAULTS, "port 1 of a0 is " + state,
                "ip link set");
    }

    @Test
    void withoutADeviceItIsSaidHowToGetOne() {
        assertProblem(List.of(), DEFAULTS, "rdma link add");
        if (Verbs.unavailableReason() != null) {
            assertEquals(Verbs.unavailableReason(),
                    assertThrows(TransferException.class, () -> PortChoice.ofMachine(DEFAULTS)).getMessage());
        }
    }

    @Test
    void theMtuIsAtMostThePorts() {
        List<LocalDevice> one = List.of(device("a0", ethernet(1, PortState.ACTIVE, 1024, GID)));
        assertEquals(1024, PortChoice.of(one, DEFAULTS.withMtu(1024)).mtu());
        PortChoice smaller = PortChoice.of(one, DEFAULTS.withMtu(512));
        assertEquals(512, smaller.mtu());
        assertTrue(setting(smaller, "mtu").reason().contains("1024"), smaller.settings()::toString);
        assertProblem(one, DEFAULTS.withMtu(2048), "mtu=2048", "1024", "RDMA_QP_MTU");
        List<LocalDevice> silent = List.of(device("a0", ethernet(1, PortState.ACTIVE, 0, GID)));
        assertProblem(silent, DEFAULTS, "does not say its active MTU", "RDMA_QP_MTU");
    }

    @Test
    void serviceLevelsOfEthernetArePriorities() {
        List<LocalDevice> one = List.of(device("a0", ethernet(1, PortState.ACTIVE, 1024, GID)));
        assertEquals("7", setting(PortChoice.of(one, DEFAULTS.withServiceLevel(7)), "serviceLevel").value());
        assertProblem(one, DEFAULTS.withServiceLevel(8), "serviceLevel=8", "RDMA_QP_SL", "0 to 7");
        GidEntry own = Devices.ipv6(0, GidType.INFINIBAND, 0xfe80L << 48);
        assertEquals("15", setting(PortChoice.of(List.of(device("i0", infiniBand(1, own))),
                DEFAULTS.withServiceLevel(15)), "serviceLevel").value());
    }

    @Test
    void whatElseIsConfiguredIsSaid() {
        List<LocalDevice> one = List.of(device("a0", ethernet(1, PortState.ACTIVE, 1024, GID)));
        PortChoice byDefault = PortChoice.of(one, DEFAULTS);
        assertEquals(new Setting("timeout", "14", "the default, 67.1 ms"), setting(byDefault, "timeout"));
        assertEquals(new Setting("completionMode", "polling", "the default"), setting(byDefault, "completionMode"));
        PortChoice configured = PortChoice.of(one,
                DEFAULTS.withTimeout(0).withCompletionMode(CompletionMode.EVENTS).withTrafficClass(106));
        assertEquals(new Setting("timeout", "0", "as configured, for ever"), setting(configured, "timeout"));
        assertEquals("events", setting(configured, "completionMode").value());
        assertEquals("106", setting(configured, "trafficClass").value());
    }

    private static Setting setting(PortChoice choice, String name) {
        return choice.settings().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
    }

    private static void assertProblem(List<LocalDevice> devices, NetworkOptions network, String... named) {
        String message = assertThrows(TransferException.class, () -> PortChoice.of(devices, network)).getMessage();
        for (String each : named) {
            assertTrue(message.contains(each), () -> "'" + each + "' is not named: " + message);
        }
    }
}
