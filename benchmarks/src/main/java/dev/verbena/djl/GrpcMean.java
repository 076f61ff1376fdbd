package dev.verbena.djl;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;

import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.nn.Parameter;
import dev.verbena.onnxruntime.SentTensor;
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

/** What the all-reduce of two processes is, by gRPC: rank 1 sends all its gradients in one call, rank 0 answers with the means. */
final class GrpcMean implements AutoCloseable {
    private static final String SERVICE = "verbena.Mean";
    private static final MethodDescriptor<SentTensor, SentTensor> MEAN = MethodDescriptor
            .<SentTensor, SentTensor>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Mean"))
            .setRequestMarshaller(SentTensor.MARSHALLER).setResponseMarshaller(SentTensor.MARSHALLER).build();
    /** So that no gradient waits for word that more may be sent. */
    private static final int WINDOW_BYTE_SIZE = 64 << 20;

    private record Asked(SentTensor sent, StreamObserver<SentTensor> answer) {}

    private final SynchronousQueue<Asked> asked = new SynchronousQueue<>();
    private final Server server;
    private final ManagedChannel channel;
    private long step;

    GrpcMean(int rank, int port) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        server = rank > 0 ? null
                : NettyServerBuilder.forAddress(address).maxInboundMessageSize(Integer.MAX_VALUE)
                        .flowControlWindow(WINDOW_BYTE_SIZE)
                        .addService(ServerServiceDefinition.builder(SERVICE)
                                .addMethod(MEAN, ServerCalls.asyncUnaryCall(this::onAsked)).build())
                        .build().start();
        channel = rank == 0 ? null
                : NettyChannelBuilder.forAddress(address).usePlaintext().maxInboundMessageSize(Integer.MAX_VALUE)
                        .flowControlWindow(WINDOW_BYTE_SIZE).build();
    }

    private void onAsked(SentTensor sent, StreamObserver<SentTensor> answer) {
        try {
            asked.put(new Asked(sent, answer));
        } catch (InterruptedException e) {
            answer.onError(e);
        }
    }

    /** Replaces the gradients of the model by their means over both processes. */
    void reduce(Model model) throws InterruptedException {
        List<ByteBuffer> gradients = new ArrayList<>();
        for (Parameter parameter : model.getBlock().getParameters().values()) {
            try (NDArray gradient = parameter.getArray().getGradient()) {
                gradients.add(gradient.toByteBuffer(true));
            }
        }
        ByteBuffer all = ByteBuffer.allocateDirect(gradients.stream().mapToInt(ByteBuffer::remaining).sum())
                .order(ByteOrder.nativeOrder());
        gradients.forEach(each -> all.put(each.duplicate()));
        all.flip();
        step++;
        ByteBuffer means = server == null
                ? ClientCalls.blockingUnaryCall(channel, MEAN, CallOptions.DEFAULT.withWaitForReady(),
                        new SentTensor(0, step, all)).bytes()
                : answer(all);
        for (ByteBuffer each : gradients) {
            each.duplicate().put(means.slice(means.position(), each.remaining()));
            means.position(means.position() + each.remaining());
        }
    }

    private ByteBuffer answer(ByteBuffer own) throws InterruptedException {
        Asked other = asked.take();
        if (other.sent.inference() != step) {
            throw new IllegalStateException("step " + other.sent.inference() + " there, here " + step);
        }
        FloatBuffer means = own.asFloatBuffer();
        FloatBuffer theirs = other.sent.bytes().order(ByteOrder.nativeOrder()).asFloatBuffer();
        for (int i = 0; i < means.limit(); i++) {
            means.put(i, (means.get(i) + theirs.get(i)) / 2);
        }
        other.answer.onNext(new SentTensor(0, step, own));
        other.answer.onCompleted();
        return own.duplicate();
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.shutdownNow();
        }
        if (server != null) {
            server.shutdown();
        }
    }
}
