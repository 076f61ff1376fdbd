package dev.verbena.transfer.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.fabric.verbs.cm.CmToken;
import dev.verbena.verbs.Gid;
import dev.verbena.verbs.QueuePairAddress;

class VerbsHelloTest {
    private static final VerbsHello.PairAddress PAIR = new VerbsHello.PairAddress(
            new QueuePairAddress(17, 0xff_ffff, new Gid(1, 2), 3, 1024, 128), new CreditAddress(-4096, -1));

    private static final int CREDIT_BYTE_SIZE = Long.BYTES + Integer.BYTES;

    private static VerbsHello hello(Wire wire, VerbsHello.Connect connect, List<VerbsHello.PairAddress> pairs) {
        return new VerbsHello("ada", new Endpoint("192.0.2.1", 4000), wire, connect, pairs);
    }

    @Test
    void whatIsSaidIsUnderstood() throws ProtocolException {
        VerbsHello.Connect byCm = new VerbsHello.Connect(true, new Endpoint("192.0.2.1", 4001), new CmToken(5, -6));
        for (VerbsHello hello : List.of(hello(Wire.DIRECT, VerbsHello.Connect.DIRECTLY, List.of(PAIR)),
                hello(Wire.FRAMED, byCm, Collections.nCopies(256, PAIR)))) {
            assertEquals(hello, VerbsHello.decode(hello.encode()));
        }
    }

    @Test
    void nonsenseIsRefused() {
        ByteBuffer whole = hello(Wire.DIRECT, VerbsHello.Connect.DIRECTLY, List.of(PAIR)).encode();
        for (int length = 0; length < whole.limit(); length++) {
            ByteBuffer cut = whole.duplicate().limit(length);
            assertThrows(ProtocolException.class, () -> VerbsHello.decode(cut), "length=" + length);
        }
        ByteBuffer longer = ByteBuffer.allocate(whole.limit() + 1).put(whole.duplicate()).rewind();
        assertThrows(ProtocolException.class, () -> VerbsHello.decode(longer));
        ByteBuffer otherAddress = ByteBuffer.allocate(whole.limit()).put(whole.duplicate()).flip();
        int mtu = whole.limit() - CREDIT_BYTE_SIZE - 6;
        otherAddress.putShort(mtu, (short) 1000);
        ProtocolException oddMtu = assertThrows(ProtocolException.class, () -> VerbsHello.decode(otherAddress));
        assertEquals("malformed handshake: mtu=1000: give 256, 512, 1024, 2048 or 4096 bytes", oddMtu.getMessage());
        ByteBuffer none = hello(Wire.DIRECT, VerbsHello.Connect.DIRECTLY, List.of()).encode();
        assertThrows(ProtocolException.class, () -> VerbsHello.decode(none));
    }
}
