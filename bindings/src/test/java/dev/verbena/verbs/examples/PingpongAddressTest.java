package dev.verbena.verbs.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

import dev.verbena.verbs.Gid;

/** What the examples read: the peer's address, and the command line. */
class PingpongAddressTest {
    /** In the form that ibv_rc_pingpong sends, of a device at 192.0.2.1. */
    private static final String TEXT = "0000:000011:0a5b3c:00000000000000000000ffffc0000201";

    @Test
    void isTheCProgramsText() {
        PingpongAddress address = PingpongAddress.parse(TEXT);
        assertEquals(new PingpongAddress(0, 0x11, 0xa5b3c, Gid.parse("::ffff:192.0.2.1")), address);
        assertEquals(TEXT, address.format());
        assertEquals("ffff:ffffff:000001:fe800000000000009cdde6fffe79a91d",
                new PingpongAddress(0xffff, 0xffffff, 1, Gid.parse("fe80::9cdd:e6ff:fe79:a91d")).format());
    }

    @Test
    void argumentsAreLettersWithOrWithoutAValue() {
        Arguments arguments = Arguments.parse(new String[]{"-e", "-n", "0x10", "host"}, "ns", "ec");
        assertEquals(16, arguments.number('n', 1));
        assertEquals(2, arguments.number('s', 2));
        assertEquals("host", arguments.operand());
        assertEquals(true, arguments.has('e'));
        assertEquals(false, arguments.has('c'));
        assertThrows(IllegalArgumentException.class, () -> Arguments.parse(new String[]{"-x"}, "n", "e"));
        assertThrows(IllegalArgumentException.class, () -> Arguments.parse(new String[]{"-n"}, "n", "e"));
    }
}
