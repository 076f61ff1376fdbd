package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** What {@code MemorySegment.copy} does with a size, between the segments of a window in turn, by one thread. */
final class SegmentCopies {
    private final List<MemorySegment> segments;
    private final long byteSize;

    /** @param segments at least two */
    SegmentCopies(List<MemorySegment> segments) {
        this.segments = segments;
        byteSize = segments.getFirst().byteSize();
    }

    /** @return bytes per second */
    double run(long count) {
        long beginNs = System.nanoTime();
        copy(count);
        return 1e9 * byteSize * count / (System.nanoTime() - beginNs);
    }

    private void copy(long count) {
        int from = 0;
        for (long i = 0; i < count; i++) {
            int to = from + 1 == segments.size() ? 0 : from + 1;
            MemorySegment.copy(segments.get(from), 0, segments.get(to), 0, byteSize);
            from = to;
        }
    }
}
