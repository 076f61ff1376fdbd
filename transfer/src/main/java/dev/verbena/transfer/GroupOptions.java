package dev.verbena.transfer;

import dev.verbena.transfer.group.Message;

/**
 * How the members of a group talk with each other; the same at all of them.
 *
 * @param chunkByteSize large tensors go from member to member in chunks of so many bytes; a multiple of 64
 * @param depth chunks that a member may be ahead of the next one, at most; 3 or less where members have to share their host's processors
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record GroupOptions(int chunkByteSize, int depth) {
    private static final int UNIT = 64;
    private static final int CHUNK_BYTE_SIZE_MAX = 1 << 28;
    private static final int DEPTH_MAX = 64;

    /** Throws {@link IllegalArgumentException} unless chunkByteSize is a multiple of 64 from 4096 to 2<sup>28</sup>, and depth 2 to 64. */
    public GroupOptions {
        if (chunkByteSize < Message.BYTE_SIZE_MAX || chunkByteSize > CHUNK_BYTE_SIZE_MAX || chunkByteSize % UNIT != 0) {
            throw new IllegalArgumentException("chunkByteSize=" + chunkByteSize + "; give a multiple of " + UNIT
                    + " from " + Message.BYTE_SIZE_MAX + " to " + CHUNK_BYTE_SIZE_MAX);
        }
        if (depth < 2 || depth > DEPTH_MAX) {
            throw new IllegalArgumentException("depth=" + depth + " chunks; give 2 to " + DEPTH_MAX);
        }
    }

    /** Chunks of 256 KiB, of which the cache next to a processor holds some and which take longer than to hand one over, and 6 of them. */
    public static GroupOptions defaults() {
        return new GroupOptions(1 << 18, 6);
    }

    /** Bytes of a chunk of a large tensor, a multiple of 64 from 4096 to 2<sup>28</sup>; 256 KiB unless set. */
    public GroupOptions withChunkByteSize(int chunkByteSize) {
        return new GroupOptions(chunkByteSize, depth);
    }

    /** Chunks that a member may be ahead of the next one, 2 to 64; 6 unless set, and 3 at most where members share processors. */
    public GroupOptions withDepth(int depth) {
        return new GroupOptions(chunkByteSize, depth);
    }
}
