package dev.verbena.memory.debug;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where in a program a block was allocated or freed: the frames below those of the allocator, the innermost first.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Site(List<StackTraceElement> frames) {
    private static final StackWalker WALKER = StackWalker.getInstance();

    /** The caller of the allocator, which classes of these names are a part of. */
    static Site here(Predicate<String> isOurs, int depth) {
        return new Site(WALKER.walk(frames -> frames.dropWhile(frame -> isOurs.test(frame.getClassName()))
                .limit(depth).map(StackWalker.StackFrame::toStackTraceElement).toList()));
    }

    /** A line for each frame, each with a line break before it. */
    @Override
    public String toString() {
        return frames.stream().map(frame -> "\n    at " + frame).collect(Collectors.joining());
    }
}
