package dev.verbena.testing;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * A process that connects as {@code worker:1} and does to the parent's region what the test says, until it is killed:
 * arguments are the parent's port, its region's address, rkey and byteSize, the role, how long it bears with a silent peer, and the fabric.
 */
final class StreamingPeer implements ConnectionHandler {
    /** Adds so often to the first word of the region, then closes in order. */
    static final int ADDITIONS = 20_000;

    /** The status it ends with when it was told that it was given up. */
    static final int TOLD = 3;

    private final Fabric fabric;
    private final CompletionQueue queue;

    private StreamingPeer(String fabric, int peerTimeoutMs) {
        NetworkOptions network = TestNetwork.ofEnvironment().withPeerTimeoutMs(peerTimeoutMs);
        this.fabric = Fabrics.select(fabric, network).open(network);
        queue = this.fabric.createCompletionQueue(64);
    }

    public static void main(String[] arguments) throws InterruptedException {
        new StreamingPeer(arguments[6], Integer.parseInt(arguments[5])).run(Integer.parseInt(arguments[0]),
                Long.parseLong(arguments[1]),
                Long.parseLong(arguments[2]), Long.parseLong(arguments[3]), arguments[4]);
    }

    private void run(int port, long address, long rkey, long byteSize, String role)
            throws InterruptedException {
        fabric.listen(new Endpoint("127.0.0.1", 0), "worker:1", this);
        MemoryRegion region = fabric.register(byteSize, EnumSet.allOf(AccessRight.class));
        Connection connection = fabric.connect(new Endpoint("127.0.0.1", port), onRequest("parent", 1),
                TimeUnit.SECONDS.toNanos(60));
        QueuePair queuePair = connection.queuePairs().getFirst();
        WorkRequest request = new WorkRequest(1);
        if (role.equals("stream")) {
            request.reset(1, Opcode.WRITE_WITH_IMMEDIATE).element(region, 0, byteSize).remote(address, rkey);
            for (int i = 1; connection.lostCause() == null; i++) {
                region.memory().asSlice(0, byteSize).fill((byte) i);
                request.immediate = i;
                complete(queuePair, request);
            }
        } else if (role.equals("idle")) {
            while (connection.lostCause() == null) {
                Thread.sleep(1);
            }
        } else {
            request.reset(1, Opcode.FETCH_AND_ADD).element(region, 0, JAVA_LONG.byteSize()).remote(address, rkey);
            request.compareOrAdd = 1;
            for (int i = 0; i < ADDITIONS; i++) {
                complete(queuePair, request);
            }
        }
        String lost = connection.lostCause();
        fabric.close();
        if (lost != null && lost.contains("parent") && lost.contains("no answer for peerTimeoutMs")) {
            System.exit(TOLD);
        }
    }

    private void complete(QueuePair queuePair, WorkRequest request) {
        queuePair.post(request);
        while (queue.poll(completion -> {}, 8) == 0) {
            queue.await(TimeUnit.SECONDS.toNanos(1));
        }
    }

    @Override
    public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
        return List.of(new QueuePairOptions(queue, 8, 8, TimeUnit.SECONDS.toNanos(60)));
    }

    @Override
    public void onAccepted(Connection connection) {}

    @Override
    public void onLost(Connection connection, boolean orderly, String cause) {}
}
