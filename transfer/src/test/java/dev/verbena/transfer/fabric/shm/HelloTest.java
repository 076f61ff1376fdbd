package dev.verbena.transfer.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Random;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.fabric.control.Fields;
import dev.verbena.transfer.fabric.control.ProtocolException;

class HelloTest {
    private static Hello hello(String machine) {
        return new Hello(machine, "wörker:1", 4711, new Endpoint("127.0.0.1", 4001),
                new FileIdentity(5, 27, 99), new FileIdentity(7, 27, 98), new FileIdentity(6, 27, -1),
                new int[]{8, 4096}, new int[]{0, 63});
    }

    private static Hello hello() {
        return hello(Hello.thisMachine());
    }

    @Test
    void itComesOutAsItWentIn() throws ProtocolException {
        Hello in = hello();
        Hello out = Hello.decode(in.encode());
        assertEquals(in.name(), out.name());
        assertEquals(in.knock(), out.knock());
        assertEquals(in.listening(), out.listening());
        assertEquals(in.fabricFile(), out.fabricFile());
        assertEquals(in.regionTable(), out.regionTable());
        assertEquals(in.linkFile(), out.linkFile());
        assertArrayEquals(in.receiveDepths(), out.receiveDepths());
        assertArrayEquals(in.doorbells(), out.doorbells());
        assertNull(in.refusal(out));
    }

    @Test
    void whoCannotShareMemoryIsToldWhy() {
        Hello here = hello();
        assertTrue(here.refusal(hello("elsewhere")).contains("another machine"));
    }

    @Test
    void everyTruncationIsMalformed() {
        ByteBuffer whole = hello().encode();
        for (int byteSize = 0; byteSize < whole.limit(); byteSize++) {
            ByteBuffer part = whole.slice(0, byteSize);
            assertThrows(ProtocolException.class, () -> Hello.decode(part), "byteSize=" + byteSize);
        }
        assertThrows(ProtocolException.class,
                () -> Hello.decode(ByteBuffer.allocate(4096).put(hello().encode()).put((byte) 0).flip()));
    }

    @Test
    void damageIsMalformedOrAnotherHelloButNothingElse() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            ByteBuffer bytes = hello().encode();
            for (int j = random.nextInt(4); j >= 0; j--) {
                bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
            }
            try {
                Hello damaged = Hello.decode(bytes);
                assertTrue(damaged.receiveDepths().length <= ShmFabric.QUEUE_PAIRS_MAX, "seed=" + seed);
                for (int depth : damaged.receiveDepths()) {
                    assertTrue(Integer.bitCount(depth) == 1 && depth > 0 && depth <= ShmFabric.DEPTH_MAX,
                            "seed=" + seed);
                }
            } catch (ProtocolException e) {
                assertTrue(!e.getMessage().isBlank(), "seed=" + seed);
            }
        }
    }

    @Test
    void namesAreShortTexts() {
        Fields.checkName("worker:1");
        for (String name : new String[]{"", " ", "a\nb", "x".repeat(513)}) {
            assertThrows(IllegalArgumentException.class, () -> Fields.checkName(name));
        }
    }
}
