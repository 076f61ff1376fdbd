package dev.verbena.graph.run.memory;

import java.util.function.Predicate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.trace.TracedNode;

/**
 * Decides, allocation by allocation, between registered and ordinary memory.
 *
 * <p>Registered memory is sized by the plan. Should it be full all the same, because a caller holds fetched tensors for long, an
 * allocation falls back to ordinary memory: the tensor is copied when it is sent, which the statistics show. Nothing of this session would
 * ever make room, so waiting is no way out: such copies lie in spare memory, which is registered when it is first needed.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> thread-safe as far as its allocators are.
 */
public final class SessionMemory {
    private static final Logger LOG = LoggerFactory.getLogger(SessionMemory.class);

    private final SessionTracer tracer;
    private final TensorAllocator ordinary;
    private final TensorAllocator registered;
    private final TensorAllocator spare;
    private final Predicate<Tensor> isRegistered;
    private boolean wasFull;

    /**
     * @param registered memory, as much as the plan asked for
     * @param spare more of it, of which nothing is there until it is needed
     */
    public SessionMemory(SessionTracer tracer, TensorAllocator ordinary, TensorAllocator registered,
            TensorAllocator spare, Predicate<Tensor> isRegistered) {
        this.tracer = tracer;
        this.ordinary = ordinary;
        this.registered = registered;
        this.spare = spare;
        this.isRegistered = isRegistered;
    }

    /** For a session that sends nothing. */
    public static SessionMemory ordinaryOnly(SessionTracer tracer, TensorAllocator ordinary) {
        return new SessionMemory(tracer, ordinary, (type, shape) -> null, (type, shape) -> null,
                tensor -> false);
    }

    public SessionTracer tracer() {
        return tracer;
    }

    /** The coming allocation of a node. */
    public Tensor allocate(TracedNode node, ElementType type, Shape shape) {
        return allocate(node, type, shape, null);
    }

    /**
     * The coming allocation of a node.
     *
     * @param destination where a peer wants it, which is better than any other registered memory; null for none
     */
    public Tensor allocate(TracedNode node, ElementType type, Shape shape, TensorAllocator destination) {
        Tensor tensor = null;
        if (tracer.isRegistered(node, shape.byteSize(type))) {
            tensor = destination == null ? null : destination.allocate(type, shape);
            if (tensor == null) {
                tensor = registered.allocate(type, shape);
            }
        }
        if (tensor == null) {
            tensor = ordinary.allocate(type, shape);
        }
        tracer.allocated(node, tensor);
        return tensor;
    }

    /** Whether storage that nobody else needs may become the output of a node, instead of its coming allocation. */
    public boolean reuse(TracedNode node, Tensor input) {
        return tracer.reuse(node, input, isRegistered.test(input));
    }

    /** For what the caller takes with him; never sent, so never traced. */
    public Tensor allocateOrdinary(ElementType type, Shape shape) {
        return ordinary.allocate(type, shape);
    }

    /** A copy in registered memory of a tensor that is not there; null if it is, or if registered memory is full. */
    Tensor copyToRegistered(Tensor tensor) {
        return isRegistered.test(tensor) ? null : copy(tensor, registered);
    }

    /**
     * A copy to be sent, in registered memory or, if that is full, in spare memory; null if that has no room at present either. By the
     * session's thread.
     *
     * @param sender the node, for who wonders
     */
    Tensor stage(Tensor tensor, String sender) {
        Tensor copy = copy(tensor, registered);
        if (copy != null) {
            return copy;
        }
        copy = copy(tensor, spare);
        if (copy != null && !wasFull) {
            wasFull = true;
            LOG.warn(
                    "registered memory is full, so '{}' copies into further memory, byteSize={}; close fetched tensors "
                            + "before the next run",
                    sender, tensor.byteSize());
        }
        return copy;
    }

    private static Tensor copy(Tensor tensor, TensorAllocator memory) {
        Tensor copy = memory.allocate(tensor.type(), tensor.shape());
        if (copy != null) {
            copy.memory().copyFrom(tensor.memory());
        }
        return copy;
    }
}
