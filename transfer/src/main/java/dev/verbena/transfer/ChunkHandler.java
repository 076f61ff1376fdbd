package dev.verbena.transfer;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * Gets a tensor that is exchanged piece by piece, as it lands: a large one has begun to be used when most of it is still on its way.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> called by whoever drives, for one piece after the other; must neither wait nor take long.
 */
@FunctionalInterface
public interface ChunkHandler {
    /**
     * A piece is there, behind all before it. A tensor that came in a message is one piece; an empty one has none.
     *
     * @param type of the tensor
     * @param shape of the whole tensor
     * @param byteOffset of the piece in it
     * @param chunk the bytes, to be read, and only until this returns; with checksums they are compared when all are there, not before
     */
    void onChunk(ElementType type, Shape shape, long byteOffset, MemorySegment chunk);
}
