package example.fabric;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Edge;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * A fabric as somebody else would write it, of what Verbena exports: it counts what its user posts to another one, and has regions, queues,
 * queue pairs and connections of its own.
 *
 * <p><b>Owner:</b> who opened it; it closes the other one. <b>Threading:</b> thread-safe.
 */
final class TalliedFabric implements Fabric {
    private final Fabric carrier;
    private final Map<Opcode, LongAdder> tally = new EnumMap<>(Opcode.class);
    private final Map<CompletionQueue, TalliedCompletionQueue> queues = new ConcurrentHashMap<>();
    private final Map<Connection, TalliedConnection> connections = new ConcurrentHashMap<>();

    TalliedFabric(Fabric carrier) {
        this.carrier = carrier;
        for (Opcode opcode : Opcode.values()) {
            tally.put(opcode, new LongAdder());
        }
    }

    /** Bytes of all requests with that opcode that were posted, and of what was put or got at once. */
    long byteSize(Opcode opcode) {
        return tally.get(opcode).sum();
    }

    void count(WorkRequest head, int count) {
        WorkRequest request = head;
        for (int i = 0; i < count; i++) {
            tally.get(request.opcode).add(request.totalByteSize());
            request = request.next;
        }
    }

    /** @return whether it was done, for the caller to return */
    boolean count(Opcode opcode, long byteSize, boolean isDone) {
        tally.get(opcode).add(isDone ? byteSize : 0);
        return isDone;
    }

    @Override
    public String name() {
        return "tallied-" + carrier.name();
    }

    @Override
    public Capabilities capabilities() {
        return carrier.capabilities();
    }

    @Override
    public Edge edge() {
        return carrier.edge();
    }

    @Override
    public MemoryRegion register(long byteSize, Set<AccessRight> rights, SlabOptions options) {
        return new TalliedRegion(carrier.register(byteSize, rights, options));
    }

    @Override
    public MemoryRegion importMemory(ForeignMemory memory, Set<AccessRight> rights) {
        try {
            return new TalliedRegion(carrier.importMemory(memory, rights));
        } catch (TransferException e) {
            throw new TransferException(name() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public CompletionQueue createCompletionQueue(int countMax) {
        return of(carrier.createCompletionQueue(countMax));
    }

    @Override
    public CompletionQueue createCompletionQueue(int countMax, CompletionMode idle) {
        return of(carrier.createCompletionQueue(countMax, idle));
    }

    @Override
    public Endpoint listen(Endpoint local, String localName, ConnectionHandler handler) {
        return carrier.listen(local, localName, new ConnectionHandler() {
            @Override
            public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
                return carried(handler.onRequest(peerName, queuePairCount));
            }

            @Override
            public void onAccepted(Connection connection) {
                handler.onAccepted(of(connection));
            }

            @Override
            public void onLost(Connection connection, boolean orderly, String cause) {
                handler.onLost(of(connection), orderly, cause);
            }
        });
    }

    @Override
    public void connect(Endpoint remote, List<QueuePairOptions> queuePairs, long timeoutNs, ConnectHandler handler) {
        carrier.connect(remote, carried(queuePairs), timeoutNs, new ConnectHandler() {
            @Override
            public void onConnected(Connection connection) {
                handler.onConnected(of(connection));
            }

            @Override
            public void onFailed(TransferException cause) {
                handler.onFailed(cause);
            }
        });
    }

    /** The same one for the same, however often it is asked for; as is the next. */
    TalliedCompletionQueue of(CompletionQueue queue) {
        return queues.computeIfAbsent(queue, first -> new TalliedCompletionQueue(this, first));
    }

    TalliedConnection of(Connection connection) {
        return connections.computeIfAbsent(connection, first -> new TalliedConnection(this, first));
    }

    private static List<QueuePairOptions> carried(List<QueuePairOptions> queuePairs) {
        List<QueuePairOptions> carried = new ArrayList<>();
        for (QueuePairOptions each : queuePairs) {
            CompletionQueue queue = each.completionQueue() instanceof TalliedCompletionQueue own
                    ? own.carrier()
                    : each.completionQueue();
            carried.add(new QueuePairOptions(queue, each.sendDepth(), each.receiveDepth(),
                    each.receiverNotReadyTimeoutNs(), each.elementCountMax(), each.inlineByteSizeMax()));
        }
        return carried;
    }

    @Override
    public long registeredByteSize() {
        return carrier.registeredByteSize();
    }

    @Override
    public long registrationCount() {
        return carrier.registrationCount();
    }

    @Override
    public long registrationNs() {
        return carrier.registrationNs();
    }

    @Override
    public void abort(String cause) {
        carrier.abort(cause);
    }

    @Override
    public void close() {
        carrier.close();
    }
}
