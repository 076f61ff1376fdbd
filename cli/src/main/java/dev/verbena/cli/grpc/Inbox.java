package dev.verbena.cli.grpc;

import java.nio.charset.StandardCharsets;

import dev.verbena.graph.run.EdgeCarrier;
import dev.verbena.transfer.TransferException;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;

/**
 * The receiving end of an edge: asks the sender for its next tensor when a run needs it, one call a tensor.
 *
 * <p><b>Owner:</b> {@link GrpcCarrier}. <b>Threading:</b> polled by the session's thread; gRPC's threads bring the answer.
 */
final class Inbox implements EdgeCarrier.Incoming, StreamObserver<byte[]> {
    private final String edge;
    private final Channel channel;
    private final Runnable wakeUp;
    private boolean isAsked;
    private volatile byte[] message;
    private volatile Throwable failure;

    Inbox(String edge, Channel channel, Runnable wakeUp) {
        this.edge = edge;
        this.channel = channel;
        this.wakeUp = wakeUp;
    }

    @Override
    public EdgeCarrier.Arrival poll() {
        byte[] arrived = message;
        if (arrived != null) {
            message = null;
            isAsked = false;
            return TensorMessage.read(arrived);
        }
        if (failure != null) {
            throw new TransferException("edge " + edge + " by gRPC: " + failure.getMessage()
                    + "; the log of the task that sends it may say more", failure);
        }
        if (!isAsked) {
            isAsked = true;
            ClientCalls.asyncUnaryCall(channel.newCall(GrpcCarrier.RECEIVE, CallOptions.DEFAULT),
                    edge.getBytes(StandardCharsets.UTF_8), this);
        }
        return null;
    }

    @Override
    public void onNext(byte[] answer) {
        message = answer;
        wakeUp.run();
    }

    @Override
    public void onError(Throwable cause) {
        failure = cause;
        wakeUp.run();
    }

    @Override
    public void onCompleted() {
        // The tensor has come before.
    }
}
