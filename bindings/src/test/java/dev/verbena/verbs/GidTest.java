package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.HexFormat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GidTest {
    private static final byte[] LINK_LOCAL = HexFormat.of().parseHex("fe800000000000009cdde6fffe79a91d");
    private static final byte[] IPV4 = HexFormat.of().parseHex("00000000000000000000ffffc0000201");

    @Test
    void isSixteenBytesInTheOrderOfTheWire() {
        Gid gid = new Gid(0xfe80000000000000L, 0x9cdde6fffe79a91dL);
        assertEquals(gid, Gid.of(LINK_LOCAL));
        assertArrayEquals(LINK_LOCAL, gid.octets());
        MemorySegment union = MemorySegment.ofArray(new byte[Gid.BYTE_SIZE]);
        assertEquals(gid, Gid.read(gid.write(union)));
        assertEquals(-1, union.mismatch(MemorySegment.ofArray(LINK_LOCAL)));
        assertThrows(IllegalArgumentException.class, () -> Gid.of(new byte[15]));
    }

    @Test
    void readsWhatItWrites() {
        for (byte[] octets : new byte[][]{LINK_LOCAL, IPV4, new byte[16]}) {
            assertEquals(Gid.of(octets), Gid.parse(Gid.of(octets).toString()));
        }
        assertEquals("fe80:0000:0000:0000:9cdd:e6ff:fe79:a91d", Gid.of(LINK_LOCAL).toString());
        assertEquals("::ffff:192.0.2.1", Gid.of(IPV4).toString());
        assertEquals(Gid.of(LINK_LOCAL), Gid.parse("fe80::9cdd:e6ff:fe79:a91d"));
        assertEquals(Gid.ZERO, Gid.parse("::"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "192.0.2.1", "fe80", "fe80::1%eth0", "[::1]", "1:2:3", "::ffff:192.0.2.256", "host:1"})
    void whatIsNoAddressIsRefusedByName(String text) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> Gid.parse(text));
        assertTrue(refused.getMessage().startsWith("gid=" + text + ": "), refused.getMessage());
    }

    @Test
    void anInternetAddressIsOne() throws Exception {
        for (String text : new String[]{"192.0.2.1", "2001:db8::7"}) {
            InetAddress address = InetAddress.getByName(text);
            assertEquals(address, Gid.of(address).inetAddress());
        }
        assertTrue(Gid.of(InetAddress.getByName("192.0.2.1")).isIpv4Mapped());
        assertEquals(Gid.of(IPV4), Gid.of(InetAddress.getByName("192.0.2.1")));
        assertEquals(Gid.parse("::ffff:224.0.0.251"), Gid.of(InetAddress.getByName("224.0.0.251")), "no sign");
    }

    @Test
    void linkLocalIsWhatOtherSubnetsCannotAnswerTo() {
        for (String text : new String[]{"fe80::1", "febf::1", "::ffff:169.254.1.1"}) {
            assertTrue(Gid.parse(text).isLinkLocal(), text);
        }
        for (String text : new String[]{"fec0::1", "2001:db8::1", "::ffff:169.255.1.1", "::169.254.1.1", "::"}) {
            assertFalse(Gid.parse(text).isLinkLocal(), text);
        }
        assertFalse(Gid.of(LINK_LOCAL).isIpv4Mapped());
        assertFalse(Gid.parse("::c000:201").isIpv4Mapped());
    }
}
