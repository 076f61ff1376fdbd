package dev.verbena.graph;

import static dev.verbena.graph.NodeState.COMPLETED;
import static dev.verbena.graph.NodeState.FINISHED;
import static dev.verbena.graph.NodeState.READY;
import static dev.verbena.graph.NodeState.STARTED;
import static dev.verbena.graph.NodeState.WAITING;
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
