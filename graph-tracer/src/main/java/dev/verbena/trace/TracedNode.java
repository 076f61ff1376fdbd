package dev.verbena.trace;

/**
 * The allocations of one node, for runtimes that execute a node on any thread: the same as the methods of {@link Tracer}, without asking
 * which thread calls. Made by {@link Tracer#node}, once for each place that executes the node.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to one execution at a time; executions at the same time have one each.
 */
public final class TracedNode {
    private final Tracer tracer;
    private final NodeCursor cursor;

    TracedNode(Tracer tracer, NodeCursor cursor) {
        this.tracer = tracer;
        this.cursor = cursor;
    }

    /** An execution of the node begins; its allocations are counted from 0. */
    public void enter() {
        cursor.enter();
    }

    /** @see Tracer#isRegistered(long) */
    public boolean isRegistered(long byteSize) {
        return tracer.isRegistered(cursor, byteSize);
    }

    /** @see Tracer#allocated(long, long) */
    public void allocated(long address, long byteSize) {
        tracer.allocated(cursor, address, byteSize);
    }

    /** What an earlier execution has allocated is still there after {@link Tracer#freedAll()}, and stands for the coming allocation. */
    public void kept(long address, long byteSize) {
        tracer.kept(cursor, address, byteSize);
    }

    /** @see Tracer#reuse(long, boolean) */
    public boolean reuse(long address, boolean isRegistered) {
        return tracer.reuse(cursor, address, isRegistered);
    }
}
