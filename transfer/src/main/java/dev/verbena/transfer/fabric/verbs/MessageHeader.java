package dev.verbena.transfer.fabric.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.Opcode;

/**
 * What stands before each message where the device has no immediates: it tells a send from what announces a write.
 *
 * <pre>
 *   0  kind       int   0: a send, its payload follows; 1: the write before it has arrived
 *   4  immediate  int   of the write
 *   8  byteSize   long  of the write
 *  16  credit     long  a {@link ReceiveCredit} word of who sends: it need not be asked for where messages go both ways
 *  24
 * </pre>
 *
 * <p>Threading: functions of memory that the caller has for himself.
 */
final class MessageHeader {
    static final int BYTE_SIZE = 24;

    private static final long KIND = 0;
    private static final long IMMEDIATE = 4;
    private static final long WRITTEN = 8;
    private static final long CREDIT = 16;
    private static final int SEND = 0;
    private static final int WRITE = 1;

    private MessageHeader() {}

    static void writeSend(MemorySegment memory, long at, long credit) {
        write(memory, at, SEND, 0, 0, credit);
    }

    static void writeImmediate(MemorySegment memory, long at, int immediate, long byteSize, long credit) {
        write(memory, at, WRITE, immediate, byteSize, credit);
    }

    private static void write(MemorySegment memory, long at, int kind, int immediate, long byteSize, long credit) {
        memory.set(ValueLayout.JAVA_INT, at + KIND, kind);
        memory.set(ValueLayout.JAVA_INT, at + IMMEDIATE, immediate);
        memory.set(ValueLayout.JAVA_LONG, at + WRITTEN, byteSize);
        memory.set(ValueLayout.JAVA_LONG, at + CREDIT, credit);
    }

    /** What is said there of the sender's receives. */
    static long credit(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_LONG, at + CREDIT);
    }

    /**
     * Fills in what arrived.
     *
     * @param byteSize received, header included
     */
    static void read(MemorySegment memory, long at, long byteSize, Completion out) {
        out.hasImmediate = memory.get(ValueLayout.JAVA_INT, at + KIND) == WRITE;
        out.opcode = out.hasImmediate ? Opcode.RECEIVE_WRITE_WITH_IMMEDIATE : Opcode.RECEIVE;
        out.immediate = memory.get(ValueLayout.JAVA_INT, at + IMMEDIATE);
        out.byteSize = out.hasImmediate ? memory.get(ValueLayout.JAVA_LONG, at + WRITTEN) : byteSize - BYTE_SIZE;
    }
}
