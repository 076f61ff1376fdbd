package dev.verbena.transfer.fabric.control;

import static dev.verbena.transfer.fabric.control.OutgoingHandshake.State.AWAIT_CHALLENGE;
import static dev.verbena.transfer.fabric.control.OutgoingHandshake.State.AWAIT_REACH;
import static dev.verbena.transfer.fabric.control.OutgoingHandshake.State.AWAIT_WELCOME;
import static dev.verbena.transfer.fabric.control.OutgoingHandshake.State.CONNECT;
import static dev.verbena.transfer.fabric.control.OutgoingHandshake.State.CONNECTED;
import static dev.verbena.transfer.fabric.control.OutgoingHandshake.State.ENDED;
import static dev.verbena.transfer.fabric.control.OutgoingHandshake.State.RESOLVE;
import static dev.verbena.transfer.fabric.control.OutgoingHandshake.State.RETRY;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.fabric.control.OutgoingHandshake.State;

class OutgoingHandshakeTest {
    private static final Set<List<State>> ONWARDS = Set.of(List.of(RESOLVE, CONNECT), List.of(CONNECT, RETRY),
            List.of(RETRY, CONNECT), List.of(CONNECT, AWAIT_CHALLENGE), List.of(CONNECT, AWAIT_WELCOME),
            List.of(AWAIT_CHALLENGE, AWAIT_WELCOME), List.of(AWAIT_WELCOME, AWAIT_REACH),
            List.of(AWAIT_REACH, CONNECTED));

    @Test
    void goesOnAsDrawnAndMayEndAnywhere() {
        for (State from : State.values()) {
            for (State to : State.values()) {
                boolean ends = to == ENDED && from != CONNECTED && from != ENDED;
                assertEquals(ends || ONWARDS.contains(List.of(from, to)), from.mayBecome(to), from + " to " + to);
            }
        }
    }
}
