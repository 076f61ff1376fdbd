package dev.verbena.memory;

/** Interim signature; replaced by the real arena. */
public final class TensorArena implements AutoCloseable {
    private TensorArena() {}

    /** An arena whose first slab has {@code byteSize} bytes and which grows by further slabs up to {@code byteSizeMax}. */
    public static TensorArena create(SlabSource source, long byteSize, long byteSizeMax) {
        throw new UnsupportedOperationException();
    }

    /** Bytes that a tensor of {@code byteSize} takes in an arena, rounding included; for planning regions. */
    public static long reservedByteSize(long byteSize) {
        throw new UnsupportedOperationException();
    }

    /** 64-byte aligned, contents undefined. @throws OutOfArenaMemoryException */
    public Tensor allocate(ElementType type, Shape shape) {
        throw new UnsupportedOperationException();
    }

    /** As {@link #allocate} but null when there is no memory. */
    public Tensor tryAllocate(ElementType type, Shape shape) {
        throw new UnsupportedOperationException();
    }

    public ArenaStatistics statistics() {
        throw new UnsupportedOperationException();
    }

    public boolean isConsistent() {
        throw new UnsupportedOperationException();
    }

    /** @throws IllegalStateException while tensors are live or pinned, naming how many; nothing is released then. */
    @Override
    public void close() {}
}
