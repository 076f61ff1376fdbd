package dev.verbena.transfer.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.TransferException;

class WaitingQueriesTest {
    /** Nothing is asked of it here. */
    private static final PeerConnection PEER = null;

    private final WaitingQueries waiting = new WaitingQueries();

    @Test
    void whoHasAskedIsTakenOnce() {
        waiting.add(PEER, 1, "a");
        waiting.add(PEER, 2, "b");
        waiting.add(PEER, 3, "a");
        waiting.add(PEER, 3, "a");
        assertEquals(List.of(new WaitingQueries.Waiting(PEER, 1), new WaitingQueries.Waiting(PEER, 3)),
                waiting.take("a"));
        assertEquals(List.of(), waiting.take("a"));
        waiting.remove(PEER, 2);
        waiting.remove(PEER, 2);
        assertEquals(0, waiting.count());
    }

    @Test
    void onePeerFillsNoMemory() {
        for (int senderId = 0; senderId < WaitingQueries.COUNT_MAX; senderId++) {
            waiting.add(PEER, senderId, "a");
        }
        waiting.add(PEER, 0, "again");
        String message = assertThrows(TransferException.class, () -> waiting.add(PEER, -1, "a")).getMessage();
        assertTrue(message.contains("1024"), message);
        waiting.removeAll(PEER);
        assertEquals(0, waiting.count());
    }
}
