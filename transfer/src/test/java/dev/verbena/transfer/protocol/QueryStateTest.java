package dev.verbena.transfer.protocol;

import static dev.verbena.transfer.protocol.QueryState.ASKING;
import static dev.verbena.transfer.protocol.QueryState.OUTDATED;
import static dev.verbena.transfer.protocol.QueryState.OVER;
import static dev.verbena.transfer.protocol.QueryState.WAITING;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

class QueryStateTest {
    private static final Set<List<QueryState>> LEGAL = Set.of(List.of(ASKING, WAITING), List.of(ASKING, OUTDATED),
            List.of(ASKING, OVER), List.of(WAITING, OUTDATED), List.of(WAITING, OVER), List.of(OUTDATED, ASKING),
            List.of(OUTDATED, OVER));

    @Test
    void allowsTheLegalMovesAndNoOther() {
        for (QueryState from : QueryState.values()) {
            for (QueryState to : QueryState.values()) {
                assertEquals(LEGAL.contains(List.of(from, to)), from.allows(to), from + " to " + to);
            }
        }
    }
}
