package dev.verbena.testing;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.transfer.NetworkOptions;

/** A process that is stopped closes no socket: who waits for it is told all the same, and so is it when it goes on. */
@Timeout(120)
class ShmStoppedPeerTest {
    private static final int PEER_TIMEOUT_MS = 1_000;

    private static StoppedPeer start(String role, int parentsTimeoutMs, int childsTimeoutMs) throws Exception {
        return new StoppedPeer("shm", NetworkOptions.defaults(), role, parentsTimeoutMs, childsTimeoutMs);
    }

    /** One that computes and polls nothing is not given up; one that stands still is. */
    @ParameterizedTest
    @ValueSource(strings = {"stream", "idle"})
    void isGivenUpInTimeAndToldSoWhenItGoesOn(String role) throws Exception {
        try (StoppedPeer peer = start(role, PEER_TIMEOUT_MS, 0)) {
            if (role.equals("stream")) {
                peer.receive(1, 20);
            }
            peer.assertGivenUpAndTold();
        }
    }

    /** Whoever stood still himself has heard nothing, which proves nothing. */
    @Test
    void whoWasStoppedGivesNobodyUp() throws Exception {
        try (StoppedPeer peer = start("stream", 0, PEER_TIMEOUT_MS)) {
            peer.receive(1, 20);
            for (int i = 1; i <= 3; i++) {
                peer.signal("STOP");
                TimeUnit.MILLISECONDS.sleep(2 * PEER_TIMEOUT_MS);
                peer.signal("CONT");
                peer.receive(20 * i + 1, 20 * i + 20);
            }
            TimeUnit.MILLISECONDS.sleep(PEER_TIMEOUT_MS);
            peer.assertNobodyLost();
        }
    }
}
