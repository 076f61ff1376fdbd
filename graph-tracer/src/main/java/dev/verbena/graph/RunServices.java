package dev.verbena.graph;

/** What the runs of nodes need of their session. */
interface RunServices {
    SessionMemory memory();

    VariableStore variables();

    /** A started node is done; called on any thread. */
    void completed(NodeRun run);
}
