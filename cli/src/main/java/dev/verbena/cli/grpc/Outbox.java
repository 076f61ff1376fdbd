package dev.verbena.cli.grpc;

import dev.verbena.graph.run.EdgeCarrier;
import dev.verbena.memory.Tensor;
import io.grpc.stub.StreamObserver;

/**
 * The sending end of an edge: one tensor that waits to be asked for, or one call that waits for a tensor.
 *
 * <p><b>Owner:</b> {@link GrpcCarrier}. <b>Threading:</b> thread-safe: offered by the session's thread, asked by gRPC's.
 */
final class Outbox implements EdgeCarrier.Outgoing {
    private final String edge;
    private Runnable wakeUp = () -> {};
    private byte[] message;
    private StreamObserver<byte[]> call;

    Outbox(String edge) {
        this.edge = edge;
    }

    /** @param called when a tensor was taken that another one may be waiting behind */
    synchronized Outbox waking(Runnable called) {
        wakeUp = called;
        return this;
    }

    @Override
    public boolean offer(Tensor tensor) {
        StreamObserver<byte[]> answered;
        byte[] made;
        synchronized (this) {
            if (message != null) {
                return false;
            }
            made = TensorMessage.of(edge, tensor);
            answered = call;
            call = null;
            message = answered == null ? made : null;
        }
        if (answered != null) {
            answer(answered, made);
        }
        return true;
    }

    void ask(StreamObserver<byte[]> asking) {
        byte[] waiting;
        Runnable woken;
        synchronized (this) {
            waiting = message;
            message = null;
            call = waiting == null ? asking : null;
            woken = wakeUp;
        }
        if (waiting != null) {
            answer(asking, waiting);
            woken.run();
        }
    }

    private static void answer(StreamObserver<byte[]> call, byte[] message) {
        call.onNext(message);
        call.onCompleted();
    }
}
