package dev.verbena.onnxruntime;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.grpc.CallOptions;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;

/** What {@link PartEnd} is, by gRPC: tensors are given to the processes that take them, one call for each. */
final class GrpcEnd implements AutoCloseable {
    private static final String SERVICE = "verbena.Part";
    private static final MethodDescriptor<SentTensor, SentTensor.Nothing> GIVE = MethodDescriptor.<SentTensor, SentTensor.Nothing>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Give"))
            .setRequestMarshaller(SentTensor.MARSHALLER).setResponseMarshaller(SentTensor.Nothing.INSTANCE).build();
    /** So that no tensor waits for word that more may be sent. */
    private static final int WINDOW_BYTE_SIZE = 64 << 20;
    private static final long PATIENCE_SECONDS = 60;

    private final Server server;
    private final Map<Integer, ManagedChannel> channels = new HashMap<>();
    private final Map<Long, Map<Integer, ByteBuffer>> arrived = new HashMap<>();
    private volatile Throwable failure;

    GrpcEnd() throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor().maxInboundMessageSize(Integer.MAX_VALUE).flowControlWindow(WINDOW_BYTE_SIZE)
                .addService(ServerServiceDefinition.builder(SERVICE)
                        .addMethod(GIVE, ServerCalls.asyncUnaryCall(this::onGiven)).build())
                .build().start();
    }

    int port() {
        return server.getPort();
    }

    /** Until all are connected: what is sent before that gRPC keeps, and reads later. */
    void connect(Map<Integer, Integer> ports) throws InterruptedException {
        for (Map.Entry<Integer, Integer> each : ports.entrySet()) {
            ManagedChannel channel = NettyChannelBuilder
                    .forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), each.getValue())).usePlaintext()
                    .directExecutor().maxInboundMessageSize(Integer.MAX_VALUE).flowControlWindow(WINDOW_BYTE_SIZE)
                    .build();
            channels.put(each.getKey(), channel);
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            while (channel.getState(true) != ConnectivityState.READY) {
                if (System.nanoTime() > deadlineNs) {
                    throw new IllegalStateException("no connection to port " + each.getValue());
                }
                Thread.sleep(1);
            }
        }
    }

    private synchronized void onGiven(SentTensor sent, StreamObserver<SentTensor.Nothing> answer) {
        arrived.computeIfAbsent(sent.inference(), _ -> new HashMap<>()).put(sent.tensor(), sent.bytes());
        notifyAll();
        answer.onNext(SentTensor.Nothing.INSTANCE);
        answer.onCompleted();
    }

    /** To all that take it; the bytes are gRPC's own when this returns. */
    void give(CrossingTensor tensor, long inference, ByteBuffer bytes) {
        for (int consumer : tensor.consumers()) {
            ClientCalls.asyncUnaryCall(channels.get(consumer).newCall(GIVE, CallOptions.DEFAULT),
                    new SentTensor(tensor.index(), inference, bytes), new StreamObserver<>() {
                        @Override
                        public void onNext(SentTensor.Nothing nothing) {
                            // It has arrived.
                        }

                        @Override
                        public void onError(Throwable cause) {
                            failure = cause;
                        }

                        @Override
                        public void onCompleted() {
                            // Of one call.
                        }
                    });
        }
    }

    /** All tensors of an inference, by index; null if they are not there in time. */
    synchronized Map<Integer, ByteBuffer> take(long inference, int count, long timeoutMs) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        while (arrived.getOrDefault(inference, Map.of()).size() < count) {
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            if (failure != null) {
                throw new IllegalStateException(failure);
            }
            if (leftMs <= 0) {
                return null;
            }
            wait(leftMs);
        }
        return arrived.remove(inference);
    }

    @Override
    public void close() {
        channels.values().forEach(ManagedChannel::shutdownNow);
        server.shutdownNow();
    }
}
