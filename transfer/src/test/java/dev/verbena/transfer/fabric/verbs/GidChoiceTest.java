package dev.verbena.transfer.fabric.verbs;

import static dev.verbena.transfer.fabric.verbs.Devices.ethernet;
import static dev.verbena.transfer.fabric.verbs.Devices.infiniBand;
import static dev.verbena.transfer.fabric.verbs.Devices.ipv4;
import static dev.verbena.transfer.fabric.verbs.Devices.ipv6;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.verbs.Gid;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.GidType;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.PortState;

class GidChoiceTest {
    private static final long LINK_LOCAL = 0xfe80L << 48;
    /** The last prefix of fe80::/10. */
    private static final long LINK_LOCAL_LAST = 0xfebfL << 48;
    private static final long GLOBAL = 0x20010db8L << 32;

    private static final GidEntry V1_IPV4 = ipv4(2, GidType.ROCE_V1, 192, 0, 2, 1);
    private static final GidEntry V2_IPV6 = ipv6(4, GidType.ROCE_V2, GLOBAL);
    private static final GidEntry V2_LINK_LOCAL = ipv6(1, GidType.ROCE_V2, LINK_LOCAL);

    @Test
    void rocev2OverIpv4IsBestWhereverItStands() {
        GidEntry best = ipv4(6, GidType.ROCE_V2, 192, 0, 2, 1);
        assertEquals(6, chosen(V2_LINK_LOCAL, V1_IPV4, V2_IPV6, best, ipv4(8, GidType.ROCE_V2, 10, 0, 0, 1)));
        assertEquals(6, chosen(best, V2_IPV6));
        assertTrue(GidChoice.of(port(best), "here", NetworkOptions.UNSET).reason().contains("RoCE v2 over IPv4"));
    }

    @Test
    void thenIpv6ThenVersion1() {
        assertEquals(4, chosen(V2_LINK_LOCAL, V1_IPV4, V2_IPV6));
        assertEquals(2, chosen(V2_LINK_LOCAL, V1_IPV4));
        // Not link-local, although it begins alike.
        assertEquals(5, chosen(ipv6(5, GidType.ROCE_V2, 0xfec0L << 48), V1_IPV4));
    }

    @Test
    void linkLocalNever() {
        assertRefused("link-local", "ip addr add", V2_LINK_LOCAL);
        assertRefused("link-local", "RDMA_GID_INDEX", ipv6(0, GidType.ROCE_V2, LINK_LOCAL_LAST));
        assertRefused("link-local", "ip addr add", ipv6(0, GidType.ROCE_V1, LINK_LOCAL));
        assertRefused("link-local", "ip addr add", ipv4(3, GidType.ROCE_V2, 169, 254, 1, 1));
        assertRefused("has no GID", "ip addr add");
    }

    @Test
    void anEmptyEntryOrAnUnknownKindNever() {
        GidEntry empty = new GidEntry(0, Gid.ZERO, GidType.ROCE_V2, 0);
        assertEquals(2, chosen(empty, ipv6(1, GidType.UNKNOWN, GLOBAL), V1_IPV4));
    }

    @Test
    void infiniBandsDefaultSubnetIsNotLinkLocal() {
        Port port = infiniBand(1, ipv6(0, GidType.INFINIBAND, LINK_LOCAL));
        assertEquals(0, GidChoice.of(port, "here", NetworkOptions.UNSET).entry().index());
        String message = assertThrows(TransferException.class,
                () -> GidChoice.of(infiniBand(1), "here", NetworkOptions.UNSET)).getMessage();
        assertTrue(message.contains("subnet manager"), message);
    }

    @Test
    void theIndexAskedForIsTakenIfItIsThere() {
        Port port = port(V2_LINK_LOCAL, V1_IPV4, V2_IPV6);
        GidChoice asked = GidChoice.of(port, "here", 1);
        assertEquals(V2_LINK_LOCAL, asked.entry());
        assertTrue(asked.reason().contains("RDMA_GID_INDEX"), asked.reason());
        String message = assertThrows(TransferException.class, () -> GidChoice.of(port, "here", 7)).getMessage();
        assertTrue(message.contains("index 7") && message.contains("[1, 2, 4]"), message);
    }

    private static Port port(GidEntry... gids) {
        return ethernet(1, PortState.ACTIVE, 1024, gids);
    }

    private static int chosen(GidEntry... gids) {
        return GidChoice.of(port(gids), "here", NetworkOptions.UNSET).entry().index();
    }

    private static void assertRefused(String problem, String remedy, GidEntry... gids) {
        String message = assertThrows(TransferException.class,
                () -> GidChoice.of(port(gids), "port 1 of a0", NetworkOptions.UNSET)).getMessage();
        assertTrue(message.startsWith("port 1 of a0 ") && message.contains(problem) && message.contains(remedy),
                message);
    }
}
