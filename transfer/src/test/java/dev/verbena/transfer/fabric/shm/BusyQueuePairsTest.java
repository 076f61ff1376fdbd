package dev.verbena.transfer.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/** A poll asks those that have something to do, however many are connected. */
@Timeout(60)
class BusyQueuePairsTest {
    private static final NetworkOptions NETWORK = NetworkOptions.defaults().withPeerTimeoutMs(0);
    private static final int CONNECTIONS = 16;
    private static final int QUEUE_PAIRS = 8;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(20);

    private static List<QueuePairOptions> options(ShmCompletionQueue queue, int count) {
        return Collections.nCopies(count, new QueuePairOptions(queue, 4, 4, WAIT_NS));
    }

    @Test
    void areTheOnlyOnesThatArePolled() throws InterruptedException {
        ShmFiles directory = ShmFiles.ofEnvironment();
        CountDownLatch accepted = new CountDownLatch(CONNECTIONS);
        List<Opcode> arrived = new ArrayList<>();
        List<Opcode> done = new ArrayList<>();
        try (ShmFabric here = ShmFabric.open(directory, WAIT_NS, NETWORK);
                ShmFabric there = ShmFabric.open(directory, WAIT_NS, NETWORK)) {
            ShmCompletionQueue ours = (ShmCompletionQueue) here.createCompletionQueue(64);
            ShmCompletionQueue theirs = (ShmCompletionQueue) there.createCompletionQueue(64);
            List<Connection> acceptedOnes = Collections.synchronizedList(new ArrayList<>());
            Endpoint endpoint = there.listen(new Endpoint("127.0.0.1", 0), "there", new ConnectionHandler() {
                @Override
                public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
                    return options(theirs, queuePairCount);
                }

                @Override
                public void onAccepted(Connection connection) {
                    acceptedOnes.add(connection);
                    accepted.countDown();
                }

                @Override
                public void onLost(Connection connection, boolean orderly, String cause) {}
            });
            List<Connection> connections = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                connections.add(here.connect(endpoint, options(ours, QUEUE_PAIRS), WAIT_NS));
            }
            accepted.await();
            ours.poll(completion -> done.add(completion.opcode), 64);
            theirs.poll(completion -> arrived.add(completion.opcode), 64);
            assertEquals(0, ours.busyCount());
            assertEquals(0, theirs.busyCount());

            MemoryRegion region = here.register(64, EnumSet.allOf(AccessRight.class));
            QueuePair last = connections.getLast().queuePairs().getLast();
            last.post(new WorkRequest(1).reset(1, Opcode.SEND).element(region, 0, 64));
            ours.poll(completion -> done.add(completion.opcode), 64);
            assertEquals(1, ours.busyCount(), "it waits for a receive");

            MemoryRegion target = there.register(64, EnumSet.allOf(AccessRight.class));
            for (Connection connection : acceptedOnes) {
                connection.queuePairs().getLast().postReceive(1, target, 0, 64);
            }
            ours.poll(completion -> done.add(completion.opcode), 64);
            theirs.poll(completion -> arrived.add(completion.opcode), 64);
            assertEquals(List.of(Opcode.SEND), done);
            assertEquals(List.of(Opcode.RECEIVE), arrived);
            assertEquals(0, ours.busyCount());
            assertEquals(0, theirs.busyCount());
        }
    }
}
