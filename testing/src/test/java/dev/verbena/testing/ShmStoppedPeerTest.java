package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.RETRY_EXCEEDED;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.WorkRequest;

/** A process that is stopped closes no socket: who waits for it is told all the same, and so is it when it goes on. */
@Timeout(120)
class ShmStoppedPeerTest {
    private static final int PEER_TIMEOUT_MS = 1_000;

    private FabricSide parent;
    private Process child;

    private void start(String role, int parentsTimeoutMs, int childsTimeoutMs) throws Exception {
        parent = new FabricSide(
                ShmFabricContractTest.openShm(NetworkOptions.defaults().withPeerTimeoutMs(parentsTimeoutMs)), "parent",
                FabricPair.Options.DEFAULT);
        child = ChildJvm.start(StreamingPeer.class, "" + parent.endpoint.port(), "" + parent.region.address(),
                "" + parent.region.rkey(), "" + FabricSide.REGION_BYTE_SIZE, role, "" + childsTimeoutMs);
        FabricPair.await("the child connects", () -> !parent.accepted.isEmpty(), () -> parent.poll(8));
        parent.connection = parent.accepted.getFirst();
    }

    @AfterEach
    void end() throws InterruptedException {
        child.destroyForcibly().waitFor();
        parent.fabric.close();
    }

    private void signal(String signal) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + signal, "" + child.pid()).start().waitFor());
    }

    private void receive(int from, int to) {
        for (int i = from; i <= to; i++) {
            assertTrue(parent.queuePair().postReceive(i, null, 0, 0));
            FabricPair.await("a tensor arrives", () -> !parent.completions.isEmpty(), () -> parent.poll(1));
            Done done = parent.completions.remove();
            assertEquals(SUCCESS, done.status(), done.toString());
            assertEquals(i, done.immediate());
        }
    }

    /** One that computes and polls nothing is not given up; one that stands still is. */
    @ParameterizedTest
    @ValueSource(strings = {"stream", "idle"})
    void isGivenUpInTimeAndToldSoWhenItGoesOn(String role) throws Exception {
        start(role, PEER_TIMEOUT_MS, 0);
        if (role.equals("stream")) {
            receive(1, 20);
        }
        TimeUnit.MILLISECONDS.sleep(2 * PEER_TIMEOUT_MS);
        assertTrue(parent.lost.isEmpty(), parent.lost.toString());
        signal("STOP");
        WorkRequest send = parent.send(1001, 0, 8);
        send.next = parent.send(1002, 0, 8);
        assertEquals(2, parent.queuePair().post(send));
        FabricPair.await("the silence is noticed", () -> !parent.lost.isEmpty() && parent.completions.size() == 2,
                () -> parent.poll(8));
        FabricSide.Lost lost = parent.lost.getFirst();
        assertFalse(lost.orderly());
        assertTrue(lost.cause().contains("worker:1") && lost.cause().contains("was given up"), lost.cause());
        assertEquals(RETRY_EXCEEDED, parent.completions.remove().status());
        Done behind = parent.completions.remove();
        assertEquals(WORK_REQUEST_FLUSHED, behind.status());
        assertEquals(lost.cause(), behind.cause());
        parent.connection.abort(lost.cause());
        signal("CONT");
        assertEquals(StreamingPeer.TOLD, child.waitFor());
        assertEquals(1, parent.lost.size(), parent.lost.toString());
    }

    /** Whoever stood still himself has heard nothing, which proves nothing. */
    @Test
    void whoWasStoppedGivesNobodyUp() throws Exception {
        start("stream", 0, PEER_TIMEOUT_MS);
        receive(1, 20);
        for (int i = 1; i <= 3; i++) {
            signal("STOP");
            TimeUnit.MILLISECONDS.sleep(2 * PEER_TIMEOUT_MS);
            signal("CONT");
            receive(20 * i + 1, 20 * i + 20);
        }
        TimeUnit.MILLISECONDS.sleep(PEER_TIMEOUT_MS);
        assertTrue(parent.lost.isEmpty(), parent.lost.toString());
    }
}
