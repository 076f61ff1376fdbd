package dev.verbena.transfer.protocol;

import static dev.verbena.transfer.protocol.PlacementState.AWAITING_SENDER;
import static dev.verbena.transfer.protocol.PlacementState.CLOSED;
import static dev.verbena.transfer.protocol.PlacementState.FAILED;
import static dev.verbena.transfer.protocol.PlacementState.OPEN;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

class PlacementStateTest {
    private static final Set<List<PlacementState>> LEGAL = Set.of(List.of(AWAITING_SENDER, OPEN),
            List.of(OPEN, AWAITING_SENDER),
            List.of(AWAITING_SENDER, CLOSED), List.of(OPEN, FAILED), List.of(OPEN, CLOSED), List.of(FAILED, CLOSED));

    @Test
    void allowsTheLegalMovesAndNoOther() {
        for (PlacementState from : PlacementState.values()) {
            for (PlacementState to : PlacementState.values()) {
                assertEquals(LEGAL.contains(List.of(from, to)), from.allows(to), from + " to " + to);
            }
        }
    }
}
