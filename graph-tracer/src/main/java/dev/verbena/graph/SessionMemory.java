package dev.verbena.graph;

import java.util.function.Predicate;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

/**
 * Decides, allocation by allocation, between registered and ordinary memory. Thread-safe as far as its allocators are.
 *
 * <p>Registered memory is sized by the plan. Should it be full all the same, because a caller holds fetched tensors for long, an
 * allocation falls back to ordinary memory: the tensor is copied when it is sent, which the statistics show.
 */
final class SessionMemory {
    private final AllocationTracer tracer;
    private final TensorAllocator ordinary;
    private final TensorAllocator registered;
    private final Predicate<Tensor> isRegistered;

    SessionMemory(AllocationTracer tracer, TensorAllocator ordinary, TensorAllocator registered,
            Predicate<Tensor> isRegistered) {
        this.tracer = tracer;
        this.ordinary = ordinary;
        this.registered = registered;
        this.isRegistered = isRegistered;
    }

    /** For a session that sends nothing. */
    static SessionMemory ordinaryOnly(AllocationTracer tracer, TensorAllocator ordinary) {
        return new SessionMemory(tracer, ordinary, (type, shape) -> null, tensor -> false);
    }

    AllocationTracer tracer() {
        return tracer;
    }

    Tensor allocate(AllocationSite site, ElementType type, Shape shape) {
        Tensor tensor = site.isRegistered() ? registered.allocate(type, shape) : null;
        if (tensor == null) {
            tensor = ordinary.allocate(type, shape);
        }
        tracer.allocated(site, tensor.address());
        return tensor;
    }

    /** Whether storage that nobody else needs may become the output of a site; if so the tracer hears of it. */
    boolean reuse(AllocationSite site, Tensor input) {
        if (site.isRegistered() && !isRegistered.test(input)) {
            return false;
        }
        tracer.reused(site, input.address());
        return true;
    }

    /** For what the caller takes with him; never sent, so never traced. */
    Tensor allocateOrdinary(ElementType type, Shape shape) {
        return ordinary.allocate(type, shape);
    }

    /** A copy in registered memory of a tensor that is not there; null if it is, or if registered memory is full. */
    Tensor copyToRegistered(Tensor tensor) {
        Tensor copy = isRegistered.test(tensor) ? null : registered.allocate(tensor.type(), tensor.shape());
        if (copy != null) {
            copy.memory().copyFrom(tensor.memory());
        }
        return copy;
    }
}
