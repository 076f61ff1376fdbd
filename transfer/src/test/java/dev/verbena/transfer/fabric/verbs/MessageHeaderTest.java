package dev.verbena.transfer.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.Opcode;

class MessageHeaderTest {
    private static final long AT = 2 * MessageHeader.BYTE_SIZE;

    private final MemorySegment memory = Arena.ofAuto().allocate(3 * MessageHeader.BYTE_SIZE, 8).fill((byte) 0x55);
    private final Completion out = new Completion();

    @Test
    void aSendBringsItsPayload() {
        MessageHeader.writeSend(memory, AT, -77);
        MessageHeader.read(memory, AT, MessageHeader.BYTE_SIZE + 321, out);
        assertEquals(Opcode.RECEIVE, out.opcode);
        assertEquals(321, out.byteSize);
        assertFalse(out.hasImmediate);
        assertEquals(0, out.immediate);
        assertEquals(-77, MessageHeader.credit(memory, AT));
    }

    @Test
    void anAnnouncedWriteBringsItsImmediateAndSize() {
        MessageHeader.writeImmediate(memory, AT, 0xcafe_babe, 5L << 30, 78);
        MessageHeader.read(memory, AT, MessageHeader.BYTE_SIZE, out);
        assertEquals(Opcode.RECEIVE_WRITE_WITH_IMMEDIATE, out.opcode);
        assertTrue(out.hasImmediate);
        assertEquals(0xcafe_babe, out.immediate);
        assertEquals(5L << 30, out.byteSize);
        assertEquals(78, MessageHeader.credit(memory, AT));
    }

    @Test
    void nothingBesideItIsTouched() {
        MessageHeader.writeImmediate(memory, MessageHeader.BYTE_SIZE, -1, -1, -1);
        for (long i = 0; i < memory.byteSize(); i++) {
            boolean isOutside = i < MessageHeader.BYTE_SIZE || i >= 2 * MessageHeader.BYTE_SIZE;
            assertEquals(isOutside, memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, i) == 0x55, "byte " + i);
        }
    }
}
