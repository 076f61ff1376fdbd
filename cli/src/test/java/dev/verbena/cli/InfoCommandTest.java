package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.Setting;
import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceLimits;
import dev.verbena.verbs.Gid;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.GidType;
import dev.verbena.verbs.Guid;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.NodeType;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.PortState;
import dev.verbena.verbs.Provider;
import dev.verbena.verbs.TransportType;
import dev.verbena.verbs.Verbs;
import dev.verbena.verbs.VerbsDevice;

class InfoCommandTest {
    private static final Capabilities CAPABILITIES = new Capabilities(true, true, 1, 2, 3, 4, 5, true, true, true,
            Set.of());

    @Test
    void jsonHasWhatThisMachineHas() throws Exception {
        try (CommandRun run = CommandRun.start("info", "--json")) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            Map<String, Object> info = JSON.std.mapFrom(run.output());
            assertEquals(Verbs.unavailableReason(), info.get("rdma"));
            assertEquals(Verbs.unavailableReason() == null, !((List<?>) info.get("devices")).isEmpty());
            assertEquals(2, ((List<?>) info.get("libraries")).size());
            assertTrue(info.get("fabrics").toString().contains("fabric=shm, usable=true"), info::toString);
            assertTrue(((Map<?, ?>) info.get("auto")).get("reason") instanceof String, info::toString);
        }
    }

    @Test
    void textSaysTheSameAndOptionsAreChecked() throws Exception {
        try (CommandRun run = CommandRun.start("info")) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertTrue(run.output().contains("\n  fabric:                       shm\n    usable:"), run.output());
        }
        try (CommandRun run = CommandRun.start("info", "--rdma-mtu=1")) {
            assertEquals(ExitStatus.BAD_INPUT, run.await(), run::errors);
        }
    }

    @Test
    void devicesAreSaidInTheNamesOfIbvDevinfo() {
        DeviceLimits limits = new DeviceLimits(-1, 0xfffff000L, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
                24, 25, 0x1223c76, 1);
        Port port = new Port(1, PortState.ACTIVE, 4096, 1024, 0, 0, 0, LinkLayer.ETHERNET, 8 << 20,
                List.of(new GidEntry(1, Gid.parse("::ffff:192.0.2.1"), GidType.ROCE_V2, 3)));
        String text = Outline.of(Map.of("devices", List.of(DeviceInfo.of(
                new VerbsDevice("rxe0", NodeType.CHANNEL_ADAPTER, TransportType.INFINIBAND, new Guid(0x1c760fff)),
                new Provider("rxe"),
                new DeviceAttributes("1.2.3", new Guid(5), 0x2c9, 4119, 10, limits, List.of(port))))));
        assertEquals("""
                devices:
                  hca_id:                       rxe0
                    node_type:                  channel_adapter
                    transport:                  InfiniBand
                    node_guid:                  0000:0000:1c76:0fff
                    abilities:
                      speaks:                   RoCE (transport InfiniBand, link layer Ethernet)
                      provider:                 rxe (in software, for tests and not for speed)
                      connects:                 directly or through rdma_cm (as the transport allows)
                      atomics:                  yes (atomic_cap=1)
                      immediates:               yes (as the transport has them)
                      datagrams:                yes (as the transport has them)
                      readElements:             13 (max_sge_rd, which a read scatters to)
                      memoryWindows:            yes (max_mw=20, device_cap_flags=0x01223c76)
                    fw_ver:                     1.2.3
                    sys_image_guid:             0000:0000:0000:0005
                    vendor_id:                  0x02c9
                    vendor_part_id:             4119
                    hw_ver:                     0xA
                    phys_port_cnt:              1
                    max_mr_size:                0xffffffffffffffff
                    page_size_cap:              0xfffff000
                    max_qp:                     10
                    max_qp_wr:                  11
                    device_cap_flags:           0x01223c76
                    max_sge:                    12
                    max_sge_rd:                 13
                    max_cq:                     14
                    max_cqe:                    15
                    max_mr:                     16
                    max_pd:                     17
                    max_qp_rd_atom:             18
                    max_qp_init_rd_atom:        19
                    atomic_cap:                 ATOMIC_HCA (1)
                    max_mw:                     20
                    max_ah:                     21
                    max_srq:                    22
                    max_srq_wr:                 23
                    max_srq_sge:                24
                    max_pkeys:                  25
                    ports:
                      port:                     1
                        state:                  ACTIVE
                        max_mtu:                4096
                        active_mtu:             1024
                        sm_lid:                 0
                        port_lid:               0
                        port_lmc:               0x00
                        link_layer:             Ethernet
                        max_msg_sz:             8388608
                        GIDs:
                          index:                1, GID ::ffff:192.0.2.1, type RoCE v2, ifindex 3
                """, text);
    }

    @Test
    void autoTakesTheFirstThatCanBeUsedAndSaysWhyNotAnother() {
        FabricInfo verbs = new FabricInfo("verbs", "no device", null, List.of());
        FabricInfo shm = new FabricInfo("shm", null, CAPABILITIES, List.of(new Setting("folder", "/dev/shm", "why")));
        assertEquals(Map.of("fabric", "shm", "reason", "the best that can be used, after verbs: no device"),
                FabricInfo.auto(List.of(verbs, shm)));
        assertEquals(Map.of("fabric", "none", "reason", "verbs: no device"), FabricInfo.auto(List.of(verbs)));
        assertEquals("no device", verbs.toMap().get("reason"));
        assertEquals("[{name=folder, value=/dev/shm, reason=why}]", shm.toMap().get("settings").toString());
    }
}
