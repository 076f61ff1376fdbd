package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What one side of a connection shares with the other: each side makes one of these and maps the other's.
 *
 * <pre>
 *   HEADER    0  magic (8) ...................................... one line
 *   FAREWELL     kind int, text (int size, UTF-8)                 8 lines   written by the file's owner, once
 *   SWEEP        int: the owner asked the peer to unmap regions   one line  set by the owner, reset by the peer
 *   HALVES       {@link QueuePairHalf} of each queue pair, one behind the other
 * </pre>
 *
 * <p>The farewell lies here and not in the control socket, because what a socket still holds is lost when it is reset.
 *
 * <p>Threading: thread-safe.
 */
final class LinkFile {
    static final int FAREWELL_NONE = 0;
    static final int FAREWELL_BYE = 1;
    static final int FAREWELL_ABORT = 2;

    private static final long MAGIC = 0x5652_424e_4c4e_4b04L;
    private static final long FAREWELL = Words.LINE_BYTE_SIZE;
    private static final long FAREWELL_TEXT = FAREWELL + 4;
    private static final long FAREWELL_TEXT_BYTE_SIZE = 8 * Words.LINE_BYTE_SIZE - 4;
    private static final long SWEEP = FAREWELL_TEXT + FAREWELL_TEXT_BYTE_SIZE;
    private static final long HALVES = SWEEP + Words.LINE_BYTE_SIZE;

    private final MemorySegment memory;
    private final QueuePairHalf[] halves;

    LinkFile(MemorySegment memory, int[] receiveDepths) {
        this.memory = memory;
        halves = new QueuePairHalf[receiveDepths.length];
        long offset = HALVES;
        for (int i = 0; i < halves.length; i++) {
            long byteSize = QueuePairHalf.byteSize(receiveDepths[i]);
            halves[i] = new QueuePairHalf(memory.asSlice(offset, byteSize), receiveDepths[i]);
            offset += byteSize;
        }
    }

    static long byteSize(int[] receiveDepths) {
        long byteSize = HALVES;
        for (int receiveDepth : receiveDepths) {
            byteSize += QueuePairHalf.byteSize(receiveDepth);
        }
        return byteSize;
    }

    static void initialize(MemorySegment memory) {
        memory.set(ValueLayout.JAVA_LONG, 0, MAGIC);
    }

    static boolean isValid(MemorySegment memory) {
        return memory.get(ValueLayout.JAVA_LONG, 0) == MAGIC;
    }

    QueuePairHalf half(int index) {
        return halves[index];
    }

    /** Called by the file's owner. */
    void sayFarewellRelease(int kind, String text) {
        Words.putText(memory, FAREWELL_TEXT, FAREWELL_TEXT_BYTE_SIZE, text);
        Words.INT.setVolatile(memory, FAREWELL, kind);
    }

    int farewellAcquire() {
        return (int) Words.INT.getAcquire(memory, FAREWELL);
    }

    String farewellText() {
        return Words.text(memory, FAREWELL_TEXT, FAREWELL_TEXT_BYTE_SIZE);
    }

    /** Called by the file's owner. @return false if the peer has been asked already and has not begun */
    boolean requestSweep() {
        return (int) Words.INT.getAndSet(memory, SWEEP, 1) == 0;
    }

    /** Called by the peer before it sweeps. */
    void acceptSweep() {
        Words.INT.setVolatile(memory, SWEEP, 0);
    }
}
