package dev.verbena.testing;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The device of a process that is stopped goes on and answers; the process does not, and so it is given up all the same. */
@Timeout(400)
class VerbsStoppedPeerOnDevice {
    /** Long enough for a control thread that has a share of an emulated processor. */
    private static final int PEER_TIMEOUT_MS = 5_000;

    @Test
    void isGivenUpInTimeAndToldSoWhenItGoesOn() throws Exception {
        try (StoppedPeer peer = new StoppedPeer("verbs", TestNetwork.ofEnvironment(), "stream", PEER_TIMEOUT_MS, 0)) {
            peer.receive(1, 20);
            peer.assertGivenUpAndTold();
        }
    }
}
