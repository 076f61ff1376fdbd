package dev.verbena.graph.run.execution;

/**
 * What a node's run can be in.
 *
 * <pre>
 * WAITING ──► READY ──► FINISHED          synchronous
 *               └─────► STARTED ──► COMPLETED ──► FINISHED
 * </pre>
 *
 * The table of legal moves is {@link #canBecome}; a new iteration starts over at WAITING.
 */
enum NodeState {
    /** An input or a control edge is outstanding. */
    WAITING,
    /** In the ready queue, also between two polls. */
    READY,
    /** Its kernel was started and has not said that it is done. */
    STARTED,
    /** Done, on whatever thread; the executor has not seen it yet. */
    COMPLETED,
    /** Its outputs are there and its inputs released. */
    FINISHED;

    boolean canBecome(NodeState next) {
        return switch (this) {
            case WAITING -> next == READY;
            case READY -> next == STARTED || next == FINISHED;
            case STARTED -> next == COMPLETED;
            case COMPLETED -> next == FINISHED;
            case FINISHED -> false;
        };
    }
}
