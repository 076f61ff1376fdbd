package dev.verbena.graph.run.execution;

import dev.verbena.graph.Graph;
import dev.verbena.graph.run.Kernel;
import dev.verbena.graph.run.memory.SessionMemory;
import dev.verbena.graph.run.memory.VariableStore;

/**
 * What the runs of nodes need of their session.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread, but for its memory.
 */
public interface RunServices {
    SessionMemory memory();

    VariableStore variables();

    Kernel kernel(Graph.Node node);
}
