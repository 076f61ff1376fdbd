package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.RETRY_EXCEEDED;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** The fabric between two real processes, one of which may be killed. */
@Timeout(120)
class ShmTwoProcessesTest {
    private static final int BYTE_SIZE = FabricSide.REGION_BYTE_SIZE;

    private FabricSide parent;
    private Process child;

    private void startChild(String role) throws Exception {
        parent = new FabricSide(ShmFabricContractTest.openShm(), "parent", FabricPair.Options.DEFAULT);
        child = ChildJvm.start(StreamingPeer.class, "" + parent.endpoint.port(), "" + parent.region.address(),
                "" + parent.region.rkey(), "" + BYTE_SIZE, role, "0", "shm");
        FabricPair.await("the child connects", () -> !parent.accepted.isEmpty(), () -> parent.poll(8));
        parent.connection = parent.accepted.getFirst();
    }

    private Done next() {
        FabricPair.await("a completion comes", () -> !parent.completions.isEmpty(), () -> parent.poll(1));
        return parent.completions.remove();
    }

    @Test
    void aKilledPeerIsNoticedByNameAndLeavesNothing() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        runAndKill(1); // warms up
        LeakCheck leaks = LeakCheck.begin(Path.of("/dev/shm"));
        for (int round = 0; round < 5; round++) {
            int arrivals = random.nextInt(300);
            try {
                runAndKill(arrivals);
            } catch (AssertionError e) {
                throw new AssertionError("seed=" + seed + " round=" + round + " arrivals=" + arrivals, e);
            }
            leaks.assertNothingGrew();
        }
    }

    /** Lets the child stream, kills it after so many arrivals while it goes on, and looks at what is left. */
    private void runAndKill(int arrivals) throws Exception {
        startChild("stream");
        QueuePair queuePair = parent.queuePair();
        for (int i = 1; i <= arrivals; i++) {
            assertTrue(queuePair.postReceive(i, null, 0, 0));
            Done done = next();
            assertEquals(SUCCESS, done.status(), done.toString());
            assertEquals(i, done.immediate());
            for (int offset = 0; offset < BYTE_SIZE; offset += 997) {
                assertEquals((byte) i, parent.region.memory().get(JAVA_BYTE, offset));
            }
        }
        // The child never posts a receive: these are outstanding for certain.
        WorkRequest send = parent.send(1001, 0, 8);
        send.next = parent.send(1002, 0, 8);
        assertEquals(2, queuePair.post(send));
        // Two receives are for the taking, so that the kill may hit a write under way.
        queuePair.postReceive(arrivals + 1, null, 0, 0);
        queuePair.postReceive(arrivals + 2, null, 0, 0);
        child.destroyForcibly();
        FabricPair.await("the loss is noticed and everything is flushed",
                () -> !parent.lost.isEmpty() && parent.completions.size() == 4, () -> parent.poll(8));
        child.waitFor();
        assertEquals(1, parent.lost.size());
        FabricSide.Lost lost = parent.lost.getFirst();
        assertFalse(lost.orderly());
        assertTrue(lost.cause().contains("worker:1") && lost.cause().contains("died"), lost.cause());
        assertEquals(QueuePair.State.ERROR, queuePair.state());
        for (Done done : parent.completions) {
            boolean isReceive = done.id() < 1001;
            assertTrue(isReceive && done.status() == SUCCESS || done.cause().contains("worker:1"), done.toString());
            assertTrue(isReceive || done.status() == (done.id() == 1001 ? RETRY_EXCEEDED : WORK_REQUEST_FLUSHED),
                    done.toString());
        }
        parent.fabric.close();
    }

    @Test
    void atomicsOfTwoProcessesAreAtomic() throws Exception {
        startChild("add");
        VarHandle word = JAVA_LONG.varHandle();
        for (int i = 0; i < StreamingPeer.ADDITIONS; i++) {
            word.getAndAdd(parent.region.memory(), 0L, 1L);
        }
        FabricPair.await("the child has closed", () -> !parent.lost.isEmpty(), () -> parent.poll(8));
        assertTrue(parent.lost.getFirst().orderly(), parent.lost.toString());
        assertEquals(0, child.waitFor());
        assertEquals(2L * StreamingPeer.ADDITIONS, (long) word.getVolatile(parent.region.memory(), 0L));
        parent.fabric.close();
    }
}
