package dev.verbena.arrow;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * Batches over Arrow Flight: gRPC on the loopback interface, one DoPut for all of them, whose putNext waits while gRPC has enough, and
 * without the copy that its client can do without.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it; the server's stream is read by a thread of its own.
 */
final class FlightEnd implements BatchEnd {
    private static final String HOST = "localhost";
    private static final long PATIENCE_SECONDS = 300;

    /** What the reading thread is to do, and when it has done it. */
    private record Order(int byteSize, int count) {}

    private final BufferAllocator allocator = new RootAllocator();
    // Of the writing end.
    private final BatchColumns columns;
    private final FlightClient client;
    private final FlightClient.ClientStreamListener sink;
    // Of the reading end.
    private final FlightServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> Thread.ofPlatform().daemon()
            .unstarted(task));
    private final BlockingQueue<Order> orders = new ArrayBlockingQueue<>(1);
    private final SynchronousQueue<Object> ends = new SynchronousQueue<>();

    /** The writing end if there is a peer, otherwise the reading one. */
    FlightEnd(String peer) throws IOException {
        if (peer == null) {
            columns = null;
            client = null;
            sink = null;
            server = FlightServer.builder(allocator, Location.forGrpcInsecure(HOST, 0), new Reading())
                    .executor(threads).build().start();
            return;
        }
        server = null;
        columns = new BatchColumns(allocator);
        client = FlightClient.builder(allocator, Location.forGrpcInsecure(HOST, Integer.parseInt(peer))).build();
        sink = client.startPut(FlightDescriptor.path("batches"), columns.root(), new SyncPutListener());
        sink.setUseZeroCopy(true);
    }

    /** Reads the one stream that comes, as it is ordered. */
    private final class Reading extends NoOpFlightProducer {
        @Override
        public Runnable acceptPut(CallContext context, FlightStream stream,
                StreamListener<PutResult> acknowledgements) {
            return () -> {
                try {
                    read(stream);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            };
        }

        private void read(FlightStream stream) throws InterruptedException {
            while (true) {
                Order order = orders.take();
                try {
                    for (int i = 0; i < order.count(); i++) {
                        if (!stream.next()) {
                            throw new IllegalStateException("the stream has ended");
                        }
                        BatchColumns.check(stream.getRoot(), order.byteSize());
                    }
                    ends.put(System.nanoTime());
                } catch (RuntimeException e) {
                    ends.put(e);
                    return;
                }
            }
        }
    }

    @Override
    public String address() {
        return server == null ? null : "" + server.getPort();
    }

    @Override
    public long run(int byteSize, int count) throws IOException {
        try {
            if (server != null) {
                orders.put(new Order(byteSize, count));
                Object end = ends.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (end instanceof Long endNs) {
                    return endNs;
                }
                throw new IOException("Flight has not brought all batches: " + end);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        columns.load(byteSize);
        long begunNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            columns.load(byteSize);
            sink.putNext();
        }
        return begunNs;
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        if (server != null) {
            server.shutdown();
        }
    }
}
