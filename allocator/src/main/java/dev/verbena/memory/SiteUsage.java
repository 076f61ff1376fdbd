package dev.verbena.memory;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What is live of the blocks that one place in the program allocated. At the end of an arena, that is a leak.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param frames the callers of the allocator, the innermost first
 * @param liveCount blocks
 * @param liveByteSize bytes asked for by these, without rounding and guards
 */
public record SiteUsage(List<StackTraceElement> frames, long liveCount, long liveByteSize) {
    /** Copies the list, in which nothing may be null. */
    public SiteUsage {
        frames = List.copyOf(frames);
    }

    @Override
    public String toString() {
        return "liveCount=" + liveCount + " liveByteSize=" + liveByteSize + " allocated"
                + frames.stream().map(frame -> "\n    at " + frame).collect(Collectors.joining());
    }
}
