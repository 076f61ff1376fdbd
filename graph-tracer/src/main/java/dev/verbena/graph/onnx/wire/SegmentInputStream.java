package dev.verbena.graph.onnx.wire;

import java.io.InputStream;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of a segment, one after the other. Skipping touches none of them.
 *
 * <p><b>Owner:</b> its reader. <b>Threading:</b> confined to its owner.
 */
final class SegmentInputStream extends InputStream {
    private final MemorySegment bytes;
    private long position;

    SegmentInputStream(MemorySegment bytes) {
        this.bytes = bytes;
    }

    @Override
    public int read() {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        long count = Math.min(length, bytes.byteSize() - position);
        if (count <= 0) {
            return length == 0 ? 0 : -1;
        }
        MemorySegment.copy(bytes, position, MemorySegment.ofArray(target), offset, count);
        position += count;
        return (int) count;
    }

    @Override
    public long skip(long count) {
        long skipped = Math.max(0, Math.min(count, bytes.byteSize() - position));
        position += skipped;
        return skipped;
    }
}
