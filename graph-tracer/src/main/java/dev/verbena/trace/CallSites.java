package dev.verbena.trace;

import java.util.Iterator;
import java.util.function.Function;

/** Looks at the stack. Thread-safe. */
final class CallSites {
    private static final StackWalker WALKER = StackWalker.getInstance();

    private final int depth;
    private final Function<SiteKey, Site> siteOf;
    private volatile long iteration;
    private volatile long looksIn = -1;

    /** @param siteOf the tracer's site of a key, always the same one */
    CallSites(int depth, Function<SiteKey, Site> siteOf) {
        this.depth = depth;
        this.siteOf = siteOf;
    }

    long iteration() {
        return iteration;
    }

    boolean looksIn(long iteration) {
        return looksIn == iteration;
    }

    /** In the next iteration the stack is looked at. */
    void lookNext() {
        looksIn = iteration + 1;
    }

    void beginIteration(long number) {
        iteration = number;
    }

    Site site(String place, int ordinal) {
        return siteOf.apply(new SiteKey(SiteKey.Kind.CALL, place, ordinal));
    }

    /** The frames outside the tracer, innermost first; the index of the byte code, as lines take long to find. */
    String here() {
        return WALKER.walk(frames -> {
            StringBuilder place = new StringBuilder();
            Iterator<StackWalker.StackFrame> each = frames.iterator();
            for (int count = 0; count < depth && each.hasNext();) {
                StackWalker.StackFrame frame = each.next();
                if (count > 0 || !isOwn(frame)) {
                    place.append(count++ > 0 ? " < " : "").append(frame.getClassName()).append('.')
                            .append(frame.getMethodName()).append('@').append(frame.getByteCodeIndex());
                }
            }
            return place.toString();
        });
    }

    private static boolean isOwn(StackWalker.StackFrame frame) {
        String name = frame.getClassName();
        return name.equals(Tracer.class.getName()) || name.equals(TracedNode.class.getName())
                || name.equals(CallCursor.class.getName()) || name.equals(CallSites.class.getName());
    }
}
