package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Access to words and short texts in shared memory; coordinates are (MemorySegment, long offset). */
final class Words {
    static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    /** Two cache lines: neighbours are prefetched in pairs. */
    static final long LINE_BYTE_SIZE = 128;

    private Words() {}

    /** Writes an int of the encoded size and the text as UTF-8, cut at a character so that both fit. */
    static void putText(MemorySegment memory, long offset, long byteSizeMax, String text) {
        ByteBuffer target = memory.asSlice(offset + 4, byteSizeMax - 4).asByteBuffer();
        CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        encoder.encode(CharBuffer.wrap(text), target, true);
        memory.set(ValueLayout.JAVA_INT, offset, target.position());
    }

    static String text(MemorySegment memory, long offset, long byteSizeMax) {
        long byteSize = Math.clamp(memory.get(ValueLayout.JAVA_INT, offset), 0, byteSizeMax - 4);
        byte[] bytes = memory.asSlice(offset + 4, byteSize).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
