package dev.verbena.transfer.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.TransferException;

/** The messages of the control plane: what is encoded comes back, what is cut or forged is refused. */
class MessagesTest {
    @Test
    void frameComesBack() {
        byte[] payload = {1, 2, 3};
        RpcFrame frame = RpcFrame.decode(
                ByteBuffer.wrap(new RpcFrame(RpcFrame.Kind.ERROR, Long.MIN_VALUE, "méthode", payload).encode()));
        assertEquals(RpcFrame.Kind.ERROR, frame.kind());
        assertEquals(Long.MIN_VALUE, frame.correlationId());
        assertEquals("méthode", frame.method());
        assertArrayEquals(payload, frame.payload());
    }

    @Test
    void frameOverTheLimitIsRefused() {
        RpcFrame frame = new RpcFrame(RpcFrame.Kind.REQUEST, 0, "m", new byte[RpcFrame.BYTE_SIZE_MAX]);
        TransferException e = assertThrows(TransferException.class, frame::encode);
        assertTrue(e.getMessage().contains("byteSizeMax=65536"), e.getMessage());
    }

    @Test
    void malformedFramesAreRefused() {
        byte[] good = new RpcFrame(RpcFrame.Kind.REQUEST, 7, "method", new byte[4]).encode();
        for (int length = 0; length < 11 + "method".length(); length++) {
            ByteBuffer cut = ByteBuffer.wrap(Arrays.copyOf(good, length));
            assertThrows(TransferException.class, () -> RpcFrame.decode(cut));
        }
        good[0] = 3;
        assertThrows(TransferException.class, () -> RpcFrame.decode(ByteBuffer.wrap(good)));
    }

    @Test
    void placementRequestComesBackAndMalformedOnesAreRefused() {
        PlacementRequest request = new PlacementRequest(PlacementProtocol.STATIC, "edge", ElementType.INT64,
                Shape.of(3, 0, 5), 9, 1, 3, true, -8,
                Long.MIN_VALUE + 42, "plan=1");
        byte[] bytes = request.encode();
        assertEquals(request, PlacementRequest.decode(bytes));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThrows(TransferException.class, () -> PlacementRequest.decode(cut));
        }
        bytes[3 + "edge".length()] = 99;
        TransferException e = assertThrows(TransferException.class, () -> PlacementRequest.decode(bytes));
        assertTrue(e.getMessage().contains("no element type has the code=99; known: "), e.getMessage());
    }

    /** By a code that no order of declarations changes. */
    @ParameterizedTest
    @EnumSource
    void anElementTypeTravelsByItsCode(ElementType type) {
        PlacementRequest request = new PlacementRequest(PlacementProtocol.STATIC, "", type, Shape.of(), 0, 0, 1, false,
                0, 0, "");
        byte[] bytes = request.encode();
        assertEquals(type.code(), bytes[3]);
        assertEquals(request, PlacementRequest.decode(bytes));
    }

    @Test
    void placementAnswerComesBackAndCutOnesAreRefused() {
        PlacementAnswer answer = new PlacementAnswer(true, false, 3, 2, 1L << 47, -1L << 40, 1L << 40, (1L << 40) - 1);
        byte[] bytes = answer.encode();
        assertEquals(answer, PlacementAnswer.decode(bytes));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThrows(TransferException.class, () -> PlacementAnswer.decode(cut));
        }
    }

    @Test
    void announcementComesBackAndOthersAreRefused() {
        Announcement announcement = new Announcement(-7);
        assertEquals(announcement, Announcement.decode(announcement.encode()));
        for (int length : new int[]{0, 3, 5}) {
            assertThrows(TransferException.class, () -> Announcement.decode(new byte[length]));
        }
    }

    @Test
    void farewellComesBackAndCutOnesAreRefused() {
        Farewell farewell = new Farewell(3, -4, 1L << 50);
        byte[] bytes = farewell.encode();
        assertEquals(farewell, Farewell.decode(bytes));
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThrows(TransferException.class, () -> Farewell.decode(cut));
        }
        assertTrue(Farewell.isQuiet(Farewell.answer(true)));
        for (byte[] other : new byte[][]{Farewell.answer(false), {}, {1, 1}}) {
            assertFalse(Farewell.isQuiet(other));
        }
    }
}
