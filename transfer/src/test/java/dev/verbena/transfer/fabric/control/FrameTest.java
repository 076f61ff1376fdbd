package dev.verbena.transfer.fabric.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.api.Test;

class FrameTest {
    private static ByteBuffer frame(Frame.Type type, int byteSize) {
        byte[] payload = new byte[byteSize];
        Arrays.fill(payload, (byte) 9);
        return Frame.encode(type, ByteBuffer.wrap(payload));
    }

    @Test
    void framesComeOutAsTheyWentIn() throws ProtocolException {
        for (Frame.Type type : Frame.Type.values()) {
            ByteBuffer encoded = frame(type, Frame.PAYLOAD_BYTE_SIZE_MAX);
            Frame frame = Frame.decode(encoded);
            assertEquals(type, frame.type());
            assertEquals(Frame.PAYLOAD_BYTE_SIZE_MAX, frame.payload().remaining());
            assertEquals(9, frame.payload().get(0));
            assertEquals(0, encoded.remaining());
        }
    }

    @Test
    void anIncompleteFrameIsAwaited() throws ProtocolException {
        ByteBuffer whole = frame(Frame.Type.HELLO, 5);
        for (int byteSize = 0; byteSize < whole.limit(); byteSize++) {
            ByteBuffer part = whole.slice(0, byteSize);
            assertNull(Frame.decode(part));
            assertEquals(0, part.position(), "nothing is taken");
        }
        assertEquals(Frame.Type.HELLO, Frame.decode(whole).type());
    }

    @Test
    void twoFramesAreTakenOneByOne() throws ProtocolException {
        ByteBuffer both = ByteBuffer.allocate(200).put(frame(Frame.Type.READY, 3)).put(frame(Frame.Type.SWEEP, 1))
                .flip();
        assertEquals(Frame.Type.READY, Frame.decode(both).type());
        assertEquals(Frame.Type.SWEEP, Frame.decode(both).type());
        assertNull(Frame.decode(both));
    }

    @Test
    void theFirstWrongByteTells() {
        for (int wrong = 0; wrong < 4; wrong++) {
            ByteBuffer bytes = frame(Frame.Type.HELLO, 0).slice(0, wrong + 1);
            bytes.put(wrong, (byte) '?');
            String message = assertThrows(ProtocolException.class, () -> Frame.decode(bytes)).getMessage();
            assertTrue(message.contains("not a Verbena process") && message.contains("?"), message);
        }
    }

    @Test
    void limitsAreChecked() {
        for (int byteSize : new int[]{-1, Integer.MIN_VALUE, Frame.PAYLOAD_BYTE_SIZE_MAX + 1, Integer.MAX_VALUE}) {
            assertThrows(ProtocolException.class, () -> Frame.decode(frame(Frame.Type.HELLO, 0).putInt(8, byteSize)));
        }
        for (int type : new int[]{-1, Frame.Type.values().length}) {
            assertThrows(ProtocolException.class,
                    () -> Frame.decode(frame(Frame.Type.HELLO, 0).putShort(6, (short) type)));
        }
    }

    @Test
    void aRefusalIsUnderstoodFromEveryVersion() throws ProtocolException {
        short other = Frame.VERSION + 1;
        assertEquals(Frame.Type.REFUSE, Frame.decode(frame(Frame.Type.REFUSE, 3).putShort(4, other)).type());
        String message = assertThrows(ProtocolException.class,
                () -> Frame.decode(frame(Frame.Type.HELLO, 3).putShort(4, other))).getMessage();
        assertTrue(message.contains("version " + other) && message.contains("version " + Frame.VERSION), message);
    }

    @Test
    void randomBytesNeverDoAnythingElse() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            if (bytes.length >= 4 && random.nextBoolean()) {
                buffer.putInt(0, Frame.MAGIC);
            }
            try {
                Frame frame = Frame.decode(buffer);
                assertTrue(frame == null || frame.payload().capacity() <= 64, "seed=" + seed);
            } catch (ProtocolException e) {
                assertTrue(!e.getMessage().isBlank(), "seed=" + seed);
            }
        }
    }
}
