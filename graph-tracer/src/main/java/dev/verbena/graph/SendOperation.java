package dev.verbena.graph;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TransferException;

/**
 * Sends a tensor along a crossing edge (the RdmaSend operator of EuroSys'19 §4). Its poll is the offer: back-pressure is "not
 * ready". It is done when the bytes have left, so whoever overwrites the tensor after it cannot spoil it.
 *
 * <p>A tensor in registered memory goes as it is; any other is copied into registered memory first, and counted. With tracing
 * off every tensor is copied, wherever it lies (the paper's RDMA.cp).
 */
final class SendOperation implements Operation.PollingAsynchronous, SendCallback, Waiting {
    private static final Object SUCCESS = "success";

    private final CrossingEdge edge;
    /** Null, or who came first: the transfer's outcome or the executor's done. */
    private final AtomicReference<Object> first = new AtomicReference<>();
    private OutgoingEdge end;
    private AllocationTracer tracer;
    private SessionCounters counters;

    SendOperation(CrossingEdge edge) {
        this.edge = edge;
    }

    CrossingEdge edge() {
        return edge;
    }

    /** The delivered address of the receiver becomes a property of the operator, once per session. */
    void bind(OutgoingEdge end, AllocationTracer tracer, SessionCounters counters) {
        this.end = end;
        this.tracer = tracer;
        this.counters = counters;
    }

    @Override
    public String name() {
        return "Send";
    }

    @Override
    public List<TensorType> infer(List<TensorType> inputs) {
        Arity.check(inputs, 1);
        return List.of();
    }

    @Override
    public boolean poll(KernelContext context) {
        Tensor tensor = context.input(0);
        tracer.sent(tensor.address());
        boolean copies = !tracer.isEnabled() || !end.isRegistered(tensor);
        first.set(null);
        SendResult result = copies ? end.offerCopy(tensor, this) : end.offer(tensor, this);
        if (result == SendResult.SENT) {
            counters.sent(copies, tensor.byteSize());
        }
        return result == SendResult.SENT;
    }

    @Override
    public void start(KernelContext context, Consumer<Throwable> done) {
        Object outcome = first.compareAndExchange(null, done);
        if (outcome != null) {
            done.accept(failureOf(outcome));
        }
    }

    @Override
    @SuppressWarnings("unchecked") // the only Consumer that is ever put there
    public void onComplete(TransferException failure) {
        Object waiting = first.compareAndExchange(null, failure == null ? SUCCESS : failure);
        if (waiting != null) {
            ((Consumer<Throwable>) waiting).accept(failure);
        }
    }

    private static Throwable failureOf(Object outcome) {
        return outcome == SUCCESS ? null : (TransferException) outcome;
    }

    @Override
    public String waitsFor() {
        return "task=" + edge.toTask() + " to take tensor '" + edge.output() + "' (edge " + edge + ")";
    }
}
