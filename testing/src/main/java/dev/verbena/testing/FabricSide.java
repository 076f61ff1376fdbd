package dev.verbena.testing;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import dev.verbena.transfer.Endpoint;
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

/** One side of a {@link FabricPair}: a fabric with one completion queue and one region that allows everything. */
final class FabricSide implements ConnectionHandler {
    /** An {@code onLost} call. */
    record Lost(Connection connection, boolean orderly, String cause) {}

    static final int REGION_BYTE_SIZE = 64 << 10;

    final Fabric fabric;
    final String name;
    final CompletionQueue queue;
    final MemoryRegion region;
    final FabricPair.Options options;
    /** Completions in the order of delivery, oldest first, until a test takes them. */
    final Deque<Done> completions = new ArrayDeque<>();
    final List<Connection> accepted = new CopyOnWriteArrayList<>();
    final List<Lost> lost = new CopyOnWriteArrayList<>();
    final List<String> requests = new CopyOnWriteArrayList<>();
    final AtomicReference<RuntimeException> refuseWith = new AtomicReference<>();
    Endpoint endpoint;
    Connection connection;

    FabricSide(Fabric fabric, String name, FabricPair.Options options) {
        this(fabric, name, options, new Endpoint("127.0.0.1", 0));
    }

    FabricSide(Fabric fabric, String name, FabricPair.Options options, Endpoint local) {
        this.fabric = fabric;
        this.name = name;
        this.options = options;
        queue = fabric.createCompletionQueue(options.depth() * 2 * options.queuePairs() + 64);
        region = fabric.register(REGION_BYTE_SIZE, EnumSet.allOf(AccessRight.class));
        endpoint = fabric.listen(local, name, this);
    }

    List<QueuePairOptions> queuePairOptions(int count) {
        int elementCountMax = fabric.capabilities().elementCountMax();
        List<QueuePairOptions> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(new QueuePairOptions(queue, options.depth(), options.depth(), options.receiverNotReadyTimeoutNs())
                    .withElementCountMax(elementCountMax).withInlineByteSizeMax(options.inlineByteSizeMax()));
        }
        return list;
    }

    @Override
    public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
        requests.add(peerName);
        RuntimeException refusal = refuseWith.get();
        if (refusal != null) {
            throw refusal;
        }
        return queuePairOptions(queuePairCount);
    }

    @Override
    public void onAccepted(Connection connection) {
        accepted.add(connection);
    }

    @Override
    public void onLost(Connection connection, boolean orderly, String cause) {
        lost.add(new Lost(connection, orderly, cause));
    }

    QueuePair queuePair() {
        return connection.queuePairs().getFirst();
    }

    /** Polls once, keeping what comes. */
    int poll(int countMax) {
        return queue.poll(completion -> completions.add(Done.of(completion)), countMax);
    }

    // ---- requests on the first queue pair, between the two regions ----

    WorkRequest request(long id, Opcode opcode) {
        return new WorkRequest(16).reset(id, opcode);
    }

    /** From this side's region to the other's, or the other way. */
    WorkRequest request(long id, Opcode opcode, long offset, long byteSize, FabricSide other, long remoteOffset) {
        return request(id, opcode).element(region, offset, byteSize).remote(other.region.address() + remoteOffset,
                other.region.rkey());
    }

    WorkRequest send(long id, long offset, long byteSize) {
        return request(id, Opcode.SEND).element(region, offset, byteSize);
    }

    boolean postReceive(long id, long offset, long byteSize) {
        return queuePair().postReceive(id, region, offset, byteSize);
    }

    void fill(long offset, long byteSize, int seed) {
        for (long i = 0; i < byteSize; i++) {
            region.memory().set(java.lang.foreign.ValueLayout.JAVA_BYTE, offset + i, pattern(seed, i));
        }
    }

    /** The byte that {@link #fill} puts at position i. */
    static byte pattern(int seed, long i) {
        return (byte) (seed * 31 + i * 7 + (i >>> 8));
    }
}
