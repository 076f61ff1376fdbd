package dev.verbena.graph.run.execution;

import static dev.verbena.graph.run.execution.NodeState.COMPLETED;
import static dev.verbena.graph.run.execution.NodeState.FINISHED;
import static dev.verbena.graph.run.execution.NodeState.READY;
import static dev.verbena.graph.run.execution.NodeState.STARTED;
import static dev.verbena.graph.run.execution.NodeState.WAITING;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

class NodeStateTest {
    private static final Map<NodeState, List<NodeState>> LEGAL = Map.of(
            WAITING, List.of(READY),
            READY, List.of(STARTED, FINISHED),
            STARTED, List.of(COMPLETED),
            COMPLETED, List.of(FINISHED),
            FINISHED, List.of());

    @Test
    void everyPairOfStatesIsLegalOrNot() {
        for (NodeState from : NodeState.values()) {
            for (NodeState to : NodeState.values()) {
                assertEquals(LEGAL.get(from).contains(to), from.canBecome(to), from + " to " + to);
            }
        }
    }
}
