package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.RETRY_EXCEEDED;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * A process that connects to this one and can be stopped, as {@code kill -STOP} does: over any fabric.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> the test's thread.
 */
final class StoppedPeer implements AutoCloseable {
    /** The other one's JVM may start in an emulated machine, on its only processor. */
    private static final long START_NS = TimeUnit.SECONDS.toNanos(240);

    private final int timeoutMs;
    private final FabricSide parent;
    private final Process child;

    /**
     * Starts it and waits until it has connected.
     *
     * @param role see {@link StreamingPeer}
     * @param timeoutMs after which this side gives the child up; 0 for never
     * @param childsTimeoutMs after which the child gives this side up; 0 for never
     */
    StoppedPeer(String fabric, NetworkOptions network, String role, int timeoutMs, int childsTimeoutMs)
            throws Exception {
        this.timeoutMs = timeoutMs;
        NetworkOptions own = network.withPeerTimeoutMs(timeoutMs);
        parent = new FabricSide(Fabrics.select(fabric, own).open(own), "parent", FabricPair.Options.DEFAULT);
        child = ChildJvm.start(StreamingPeer.class, "" + parent.endpoint.port(), "" + parent.region.address(),
                "" + parent.region.rkey(), "" + FabricSide.REGION_BYTE_SIZE, role, "" + childsTimeoutMs, fabric);
        for (long startNs = System.nanoTime(); parent.accepted.isEmpty();) {
            assertTrue(child.isAlive(), "the child has ended before it connected");
            assertTrue(System.nanoTime() - startNs < START_NS, "the child does not connect");
            parent.poll(8);
            Thread.sleep(1);
        }
        parent.connection = parent.accepted.getFirst();
    }

    void signal(String signal) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + signal, "" + child.pid()).start().waitFor());
    }

    /** Takes these tensors of one that streams. */
    void receive(int from, int to) {
        for (int i = from; i <= to; i++) {
            assertTrue(parent.queuePair().postReceive(i, null, 0, 0));
            FabricPair.await("a tensor arrives", () -> !parent.completions.isEmpty(), () -> parent.poll(1));
            Done done = parent.completions.remove();
            assertEquals(SUCCESS, done.status(), done.toString());
            assertEquals(i, done.immediate());
        }
    }

    void assertNobodyLost() {
        assertTrue(parent.lost.isEmpty(), parent.lost.toString());
    }

    /** It runs, is stopped, and is given up; when it goes on it is told so, and ends. */
    void assertGivenUpAndTold() throws Exception {
        TimeUnit.MILLISECONDS.sleep(2L * timeoutMs);
        assertNobodyLost();
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

    @Override
    public void close() {
        child.destroyForcibly().onExit().join();
        parent.fabric.close();
    }
}
