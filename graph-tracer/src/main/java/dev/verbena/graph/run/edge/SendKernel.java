package dev.verbena.graph.run.edge;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import dev.verbena.graph.plan.CrossingEdge;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.graph.run.execution.NodeFrame;
import dev.verbena.graph.run.execution.TransferKernel;
import dev.verbena.graph.run.memory.SessionTracer;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TransferException;

/**
 * Sends a tensor along a crossing edge (the RdmaSend operator of EuroSys'19 §4). Its poll is the offer: back-pressure is "not
 * ready". It is done when the bytes have left, so whoever overwrites the tensor after it cannot spoil it.
 *
 * <p>A tensor that nobody else needs is computed in the receiver's slot, where the fabric maps that and the slot is free in time; offering it moves
 * nothing. Nor does a variable that is lent: it is done when the receiver has read it. Another one in registered memory goes as it is; any other is copied into registered memory first, once in a run to however many tasks
 * it goes, and counted. With tracing off every tensor is copied, wherever it lies (the paper's RDMA.cp). That a node has run is said by a
 * tensor that the session has for that. Of a dead tensor the peer is told that it is dead.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread, but for {@link #place}, by who computes the tensor before it
 * is sent, and the callback.
 */
public final class SendKernel implements TransferKernel, SendCallback {
    private static final Object SUCCESS = "success";

    private final CrossingEdge edge;
    /** Of each tensor of a static edge; null of another one. */
    private final Shape shape;
    /** Null, or who came first: the transfer's outcome or the executor's done. */
    private final AtomicReference<Object> first = new AtomicReference<>();
    private final OutgoingEdge end;
    private final SessionTracer tracer;
    private final SessionCounters counters;
    /** Registered; null where the tensor is the node's input. */
    private final Tensor signal;
    /** In the receiver's slot, to be computed and then sent; null if there is none. */
    private Tensor placed;
    /** Whether it has made a copy that has not left yet. */
    private boolean hasCopied;
    /** Whether it was room for a copy that the last poll lacked. */
    private boolean lacksRoomForCopy;

    /**
     * @param end the delivered address of the receiver becomes a property of the kernel, once per session
     * @param signal of the edge's type, in registered memory, where the edge says only that a node has run; null elsewhere
     */
    public SendKernel(CrossingEdge edge, OutgoingEdge end, SessionTracer tracer, SessionCounters counters,
            Tensor signal) {
        this.edge = edge;
        this.shape = edge.isStatic() ? TransferPlan.shape(edge) : null;
        this.end = end;
        this.tracer = tracer;
        this.counters = counters;
        this.signal = signal;
    }

    @Override
    public Tensor place(ElementType type, Shape wanted) {
        placed = type == edge.type().elementType() && wanted.equals(shape) ? end.place() : null;
        return placed;
    }

    @Override
    public boolean poll(KernelContext context) {
        if (signal == null && context.isDead(0)) {
            first.set(null);
            return end.offerDead(this) == SendResult.SENT;
        }
        Tensor tensor = signal == null ? context.input(0) : signal;
        boolean copies = signal == null && (!tracer.isEnabled() || !end.isRegistered(tensor));
        first.set(null);
        lacksRoomForCopy = false;
        SendResult result = copies ? offerCopy(NodeFrame.of(context)) : end.offer(tensor, this);
        if (result == SendResult.SENT) {
            if (signal == null) {
                tracer.sent(tensor, copies);
            }
            counters.sent(way(tensor), hasCopied || end.copiesEach(), tensor.byteSize());
            placed = null;
            hasCopied = false;
        }
        return result == SendResult.SENT;
    }

    private SessionCounters.Way way(Tensor tensor) {
        if (end.lends()) {
            return SessionCounters.Way.LENT;
        }
        if (shape == null) {
            return SessionCounters.Way.DYNAMIC;
        }
        return tensor == placed ? SessionCounters.Way.PLACED : SessionCounters.Way.STATIC;
    }

    /** Who comes first of those that send the tensor copies it, and counts it. */
    private SendResult offerCopy(NodeFrame frame) {
        boolean isThere = frame.isStaged(0);
        Tensor copy = frame.stage(0);
        if (copy == null) {
            lacksRoomForCopy = true;
            return SendResult.BACK_PRESSURED;
        }
        hasCopied |= !isThere;
        return hasCopied ? end.offerCopied(copy, this) : end.offer(copy, this);
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
        if (lacksRoomForCopy) {
            return "room for a copy of " + edge.subject() + " (edge " + edge
                    + "): close fetched tensors, or give more by SessionOptions.withDynamicMemory";
        }
        return "task=" + edge.toTask() + (end.lends() ? " to read " : " to take ") + edge.subject() + " (edge " + edge
                + ")";
    }
}
