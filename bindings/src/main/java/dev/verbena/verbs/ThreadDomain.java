package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.InlineVerbs;

/**
 * A promise: what is made in a protection domain of this thread domain ({@link ProtectionDomain#allocateParentDomain}) is used by one thread at
 * a time, so that the device's provider leaves out its locks and gives it a doorbell of its own.
 *
 * <p><b>Owner:</b> whoever allocated it, to be closed after the protection domains that name it. <b>Threading:</b>
 * thread-safe; what it is about is not.
 *
 * <p>Source: ibv_alloc_td(3).
 */
public final class ThreadDomain extends VerbsObject {
    private final DeviceContext context;
    private final MemorySegment domain;

    private ThreadDomain(DeviceContext context, MemorySegment domain) {
        super("thread domain of " + context, context);
        this.context = context;
        this.domain = domain;
    }

    static ThreadDomain allocate(DeviceContext context) {
        return new ThreadDomain(context, NativeCall.pointer("ibv_alloc_td", context::on,
                capture -> InlineVerbs.allocateThreadDomain(context.pointer(), capture)));
    }

    DeviceContext context() {
        return context;
    }

    /** Only within {@link #whileOpen}. */
    MemorySegment pointer() {
        return domain;
    }

    @Override
    void destroy() {
        NativeCall.check("ibv_dealloc_td", context::on,
                InlineVerbs.deallocateThreadDomain(context.pointer(), domain));
    }
}
