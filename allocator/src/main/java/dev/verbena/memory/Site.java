package dev.verbena.memory;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.verbena.memory.events.FreeEvent;

/**
 * Where in a program a block was allocated or freed: the frames below those of the allocator, the innermost first.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Site(List<StackTraceElement> frames) {
    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final Set<String> OURS = Stream
            .of(Site.class, DebugBlock.class, DebugBlocks.class, DebugArena.class, TensorArena.class, Tensor.class,
                    Block.class, FreeEvent.class)
            .map(Class::getName).collect(Collectors.toUnmodifiableSet());

    /** The caller of the allocator. */
    static Site here(int depth) {
        return new Site(WALKER.walk(frames -> frames.dropWhile(frame -> OURS.contains(frame.getClassName()))
                .limit(depth).map(StackWalker.StackFrame::toStackTraceElement).toList()));
    }

    /** A line for each frame, each with a line break before it. */
    static String lines(List<StackTraceElement> frames) {
        return frames.stream().map(frame -> "\n    at " + frame).collect(Collectors.joining());
    }

    @Override
    public String toString() {
        return lines(frames);
    }
}
