package dev.verbena.benchmarks.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.SyncPutListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

import dev.verbena.transfer.Endpoint;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;

/**
 * Tensors by Arrow Flight over TCP: each a batch of one column, all in one DoPut, and results in the metadata of its answers. Without the copy that its
 * client can do without, and with the windows and the threads of {@link GrpcEnd}'s tuned stream; only the server's stream wants a thread of its own.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it; where tensors arrive, the thread of the stream computes.
 */
final class FlightEnd implements TensorEnd {
    /** So that no tensor waits for word that more may be sent. */
    private static final int WINDOW_BYTE_SIZE = 64 << 20;
    private static final long PATIENCE_SECONDS = 60;
    private static final Schema SCHEMA = new Schema(
            List.of(Field.notNullable("tensor", new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE))));

    private final BufferAllocator allocator = new RootAllocator();
    private final ExecutorService threads = Executors
            .newCachedThreadPool(task -> Thread.ofPlatform().daemon().unstarted(task));
    private final String host;
    /** Null where tensors are made. */
    private final FlightServer server;
    private ManagedChannel channel;
    private final VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
    private final SyncPutListener results = new SyncPutListener();
    private FlightClient.ClientStreamListener batches;
    /** Tensors of which something was computed. */
    private final Semaphore computed = new Semaphore(0);
    private volatile Work work = Work.LAST;
    private int number;

    FlightEnd(boolean isSender, String host) throws IOException {
        this.host = host;
        Consumer<NettyServerBuilder> options = builder -> builder.flowControlWindow(WINDOW_BYTE_SIZE);
        server = isSender ? null
                : FlightServer.builder(allocator, Location.forGrpcInsecure(host, 0), new Receiving()).executor(threads)
                        .transportHint("grpc.builderConsumer", options).build().start();
    }

    @Override
    public String address() {
        return server == null ? "none" : new Endpoint(host, server.getPort()).toString();
    }

    @Override
    public void meet(String peer) {
        if (server != null) {
            return;
        }
        Endpoint to = Endpoint.parse(peer);
        channel = NettyChannelBuilder.forAddress(to.host(), to.port()).usePlaintext().directExecutor()
                .flowControlWindow(WINDOW_BYTE_SIZE).build();
        batches = FlightGrpcUtils.createFlightClient(allocator, channel).startPut(FlightDescriptor.path("tensors"),
                root, results);
        batches.setUseZeroCopy(true);
    }

    /** Where tensors arrive, Flight allocates them. */
    @Override
    public void prepare(long count) {
        if (server != null) {
            return;
        }
        int rows = Math.toIntExact(count);
        Float4Vector column = column(root);
        root.clear();
        column.allocateNew(rows);
        column.zeroVector();
        column.getValidityBuffer().setOne(0, column.getValidityBuffer().capacity());
        root.setRowCount(rows);
    }

    @Override
    public void open() throws IOException, InterruptedException {
        if (server == null) {
            run(1);
        }
    }

    @Override
    public void begin(Work work) {
        this.work = work;
        computed.drainPermits();
    }

    @Override
    public void run(int tensors) throws IOException, InterruptedException {
        if (server != null) {
            if (!computed.tryAcquire(tensors, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no tensor after " + PATIENCE_SECONDS + " s");
            }
            return;
        }
        MemorySegment tensor = elements(root);
        for (int i = 0; i < tensors; i++) {
            Work.make(tensor, ++number);
            batches.putNext();
            Work.check(result(), number);
        }
    }

    private float result() throws IOException, InterruptedException {
        try (PutResult result = results.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            if (result == null) {
                throw new IllegalStateException("no result after " + PATIENCE_SECONDS + " s");
            }
            return result.getApplicationMetadata().getFloat(0);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
    }

    private static Float4Vector column(VectorSchemaRoot root) {
        return (Float4Vector) root.getVector(0);
    }

    private static MemorySegment elements(VectorSchemaRoot root) {
        return MemorySegment.ofAddress(column(root).getDataBufferAddress())
                .reinterpret((long) root.getRowCount() * Float.BYTES);
    }

    /** The one stream that comes. */
    private final class Receiving extends NoOpFlightProducer {
        @Override
        public Runnable acceptPut(CallContext context, FlightStream stream, StreamListener<PutResult> answers) {
            return () -> {
                while (stream.next()) {
                    answer(answers, work.of(elements(stream.getRoot())));
                    computed.release();
                }
            };
        }

        private void answer(StreamListener<PutResult> answers, float result) {
            try (ArrowBuf metadata = allocator.buffer(Float.BYTES)) {
                metadata.writeFloat(result);
                answers.onNext(PutResult.metadata(metadata));
            }
        }
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.shutdownNow();
        }
        if (server != null) {
            server.shutdown();
        }
        threads.shutdownNow();
    }
}
