package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.abi.ibv_mw;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.InlineVerbs;

/**
 * A part of a memory region that peers may reach under an rkey of its own, which can be given and taken back quickly.
 *
 * <pre>
 *   rkey   | index of the window: 24 bits | key: 8 bits, the next at each bind |
 * </pre>
 *
 * <p>The rkey is the new one as soon as the request to bind is posted, and is good once that has completed. After a bind
 * that failed the window and the device disagree about the rkey: close it.
 *
 * <p><b>Owner:</b> whoever allocated it; closing it takes the rights back. To be closed before its region.
 * <b>Threading:</b> thread-safe, but one thread binds at a time.
 *
 * <p>Source: ibv_alloc_mw(3), ibv_bind_mw(3).
 */
public final class MemoryWindow extends VerbsObject {
    private static final int KEY_MASK = 0xff;

    private final ProtectionDomain domain;
    private final MemoryWindowType type;
    private final MemorySegment window;

    private MemoryWindow(ProtectionDomain domain, MemoryWindowType type, MemorySegment window) {
        super("memory window of " + domain.context(), domain);
        this.domain = domain;
        this.type = type;
        this.window = window.reinterpret(ibv_mw.sizeof());
    }

    static MemoryWindow allocate(ProtectionDomain domain, MemoryWindowType type) {
        return new MemoryWindow(domain, type, NativeCall.pointer("ibv_alloc_mw",
                () -> domain.context().on() + ", type=" + type,
                capture -> InlineVerbs.allocateMemoryWindow(domain.context().pointer(), capture, domain.pointer(),
                        type.code())));
    }

    /** How it is to be bound, as it was allocated; binding it the other way throws IllegalArgumentException. */
    public MemoryWindowType type() {
        return type;
    }

    /** The key that peers present, together with an address within what was bound. */
    public int rkey() {
        enterCall();
        try {
            return ibv_mw.rkey(window);
        } finally {
            leaveCall();
        }
    }

    /** Where it was allocated; the region and the queue pair that it is bound with must be of this domain, too. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** What the next bind of type 2 makes the rkey. */
    int nextRkey() {
        int rkey = rkey();
        return rkey & ~KEY_MASK | rkey + 1 & KEY_MASK;
    }

    /** Called when the bind is posted, while a call is in this window: the provider takes the old rkey from the struct. */
    void bound(int rkey) {
        ibv_mw.rkey(window, rkey);
    }

    /** @throws IllegalArgumentException if it is of the other type */
    void requireType(MemoryWindowType required) {
        if (type != required) {
            throw new IllegalArgumentException(this + " is of type=" + type + ", here it must be " + required
                    + ": bind type 1 by QueuePair.bind, type 2 by a send request");
        }
    }

    /** Only while a call is in it. */
    MemorySegment pointer() {
        return window;
    }

    @Override
    void destroy() {
        MemorySegment operations = ibv_context.ops(domain.context().pointer());
        NativeCall.check("ibv_dealloc_mw", () -> domain.context().on(),
                ibv_context_ops.dealloc_mw.invoke(ibv_context_ops.dealloc_mw(operations), window));
    }
}
