package dev.verbena.cli.grpc;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.verbena.graph.run.EdgeCarrier;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TransferException;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;

/**
 * Tensors by gRPC over TCP, as TensorFlow sends them without RDMA: who needs a tensor asks who has it, and the answer is a message with its bytes.
 * Tasks learn each other's port by their devices.
 *
 * <p><b>Owner:</b> who makes it, and closes it after the session. <b>Threading:</b> as {@link EdgeCarrier}.
 *
 * <p>Source: EuroSys'19 §2.2 and §5 (gRPC.TCP); TensorFlow's rpc_rendezvous_mgr.
 */
public final class GrpcCarrier implements EdgeCarrier, AutoCloseable {
    private static final String SERVICE = "dev.verbena.Edges";
    private static final String PORT_METHOD = "gRPC port";

    static final MethodDescriptor<byte[], byte[]> RECEIVE = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Receive"))
            .setRequestMarshaller(TensorMessage.MARSHALLER).setResponseMarshaller(TensorMessage.MARSHALLER).build();

    private final RdmaDevice device;
    private final Duration timeout;
    private final Server server;
    private final Map<String, Outbox> outboxes = new ConcurrentHashMap<>();
    private final Map<Endpoint, ManagedChannel> channels = new HashMap<>();

    /**
     * Listens at the device's address, at a port of its own that peers ask the device for.
     *
     * @param timeout the longest wait for a peer's answer to that
     * @throws TransferException if it cannot listen
     */
    public GrpcCarrier(RdmaDevice device, Duration timeout) {
        this.device = device;
        this.timeout = timeout;
        String host = device.endpoint().host();
        try {
            server = NettyServerBuilder.forAddress(new InetSocketAddress(host, 0))
                    .maxInboundMessageSize(Integer.MAX_VALUE)
                    .addService(ServerServiceDefinition.builder(SERVICE)
                            .addMethod(RECEIVE, ServerCalls.asyncUnaryCall(this::onAsked)).build())
                    .build().start();
        } catch (IOException e) {
            throw new TransferException("gRPC cannot listen at " + host + ": " + e.getMessage(), e);
        }
        byte[] port = Integer.toString(server.getPort()).getBytes(StandardCharsets.UTF_8);
        device.handle(PORT_METHOD, (_, _) -> port);
    }

    private void onAsked(byte[] edge, StreamObserver<byte[]> answer) {
        outbox(new String(edge, StandardCharsets.UTF_8)).ask(answer);
    }

    /** Whoever comes first makes it. */
    private Outbox outbox(String edge) {
        return outboxes.computeIfAbsent(edge, Outbox::new);
    }

    @Override
    public Outgoing outgoing(String edge, Runnable wakeUp) {
        return outbox(edge).waking(wakeUp);
    }

    @Override
    public Incoming incoming(String edge, Endpoint sender, Runnable wakeUp) {
        return new Inbox(edge, channels.computeIfAbsent(sender, this::connect), wakeUp);
    }

    private ManagedChannel connect(Endpoint peer) {
        byte[] port = device.call(peer, PORT_METHOD, new byte[0], timeout);
        return NettyChannelBuilder
                .forAddress(new InetSocketAddress(peer.host(),
                        Integer.parseInt(new String(port, StandardCharsets.UTF_8))))
                .usePlaintext().maxInboundMessageSize(Integer.MAX_VALUE).build();
    }

    @Override
    public void close() {
        channels.values().forEach(ManagedChannel::shutdownNow);
        server.shutdownNow();
    }
}
