package dev.verbena.benchmarks.transfer;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.Endpoint;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;

/**
 * Tensors by gRPC over TCP: each a call, as TensorFlow's; or, tuned, each a message of one stream.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it; where tensors arrive, gRPC's threads compute.
 */
final class GrpcEnd implements TensorEnd {
    private static final String SERVICE = "verbena.Tensors";
    private static final TensorMessages.Result RESULT = new TensorMessages.Result();
    /** So that no tensor waits for word that more may be sent. */
    private static final int WINDOW_BYTE_SIZE = 64 << 20;
    private static final long PATIENCE_SECONDS = 60;

    private final boolean isTuned;
    private final String host;
    private final TensorMessages.Direct direct = new TensorMessages.Direct();
    private final MethodDescriptor<byte[], Float> single = method("Single", MethodDescriptor.MethodType.UNARY,
            new TensorMessages.Bytes());
    private final MethodDescriptor<MemorySegment, Float> stream = method("Stream",
            MethodDescriptor.MethodType.BIDI_STREAMING, direct);
    /** Null where tensors are made. */
    private final Server server;
    private ManagedChannel channel;
    private StreamObserver<MemorySegment> requests;
    private final LinkedBlockingQueue<Float> results = new LinkedBlockingQueue<>();
    /** Tensors of which something was computed. */
    private final Semaphore computed = new Semaphore(0);
    private volatile Throwable failure;
    private volatile Work work = Work.LAST;
    private Arena arena = Arena.ofShared();
    private volatile MemorySegment tensor;
    private int number;

    GrpcEnd(boolean isTuned, boolean isSender, String host) throws IOException {
        this.isTuned = isTuned;
        this.host = host;
        server = isSender ? null : serve();
    }

    private static <T> MethodDescriptor<T, Float> method(String name, MethodDescriptor.MethodType type,
            MethodDescriptor.Marshaller<T> tensors) {
        return MethodDescriptor.<T, Float>newBuilder().setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name)).setRequestMarshaller(tensors)
                .setResponseMarshaller(RESULT).build();
    }

    private Server serve() throws IOException {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(new InetSocketAddress(host, 0))
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .addService(ServerServiceDefinition.builder(SERVICE)
                        .addMethod(single, ServerCalls.asyncUnaryCall(this::onSingle))
                        .addMethod(stream, ServerCalls.asyncBidiStreamingCall(this::onStream)).build());
        return (isTuned ? builder.directExecutor().flowControlWindow(WINDOW_BYTE_SIZE) : builder).build().start();
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
        NettyChannelBuilder builder = NettyChannelBuilder
                .forAddress(new InetSocketAddress(to.host(), to.port())).usePlaintext()
                .maxInboundMessageSize(Integer.MAX_VALUE);
        channel = (isTuned ? builder.directExecutor().flowControlWindow(WINDOW_BYTE_SIZE) : builder).build();
        if (isTuned) {
            requests = ClientCalls.asyncBidiStreamingCall(
                    channel.newCall(stream, CallOptions.DEFAULT.withWaitForReady()), new Listener());
        }
    }

    @Override
    public void prepare(long count) {
        arena.close();
        arena = Arena.ofShared();
        tensor = arena.allocate(JAVA_FLOAT, count);
        direct.into(tensor);
    }

    @Override
    public void open() throws InterruptedException {
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
    public void run(int tensors) throws InterruptedException {
        if (server != null) {
            if (!computed.tryAcquire(tensors, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("no tensor after " + PATIENCE_SECONDS + " s");
            }
            return;
        }
        for (int i = 0; i < tensors; i++) {
            Work.make(tensor, ++number);
            Work.check(isTuned ? sendByStream() : sendSingly(), number);
        }
    }

    private float sendSingly() {
        return ClientCalls.blockingUnaryCall(channel, single, CallOptions.DEFAULT.withWaitForReady(),
                tensor.toArray(JAVA_BYTE));
    }

    private float sendByStream() throws InterruptedException {
        requests.onNext(tensor);
        Float result = results.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (result == null || failure != null) {
            throw new IllegalStateException("no result", failure);
        }
        return result;
    }

    // ---- where tensors arrive ----

    private void onSingle(byte[] bytes, StreamObserver<Float> answer) {
        tensor.copyFrom(MemorySegment.ofArray(bytes));
        answer.onNext(work.of(tensor));
        answer.onCompleted();
        computed.release();
    }

    private StreamObserver<MemorySegment> onStream(StreamObserver<Float> answers) {
        return new StreamObserver<>() {
            @Override
            public void onNext(MemorySegment arrived) {
                answers.onNext(work.of(arrived));
                computed.release();
            }

            @Override
            public void onError(Throwable cause) {
                failure = cause;
            }

            @Override
            public void onCompleted() {
                answers.onCompleted();
            }
        };
    }

    private final class Listener implements StreamObserver<Float> {
        @Override
        public void onNext(Float result) {
            results.add(result);
        }

        @Override
        public void onError(Throwable cause) {
            failure = cause;
            results.add(Float.NaN);
        }

        @Override
        public void onCompleted() {
            // Nobody ends it before the process does.
        }
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.shutdownNow();
        }
        if (server != null) {
            server.shutdownNow();
        }
        arena.close();
    }
}
