package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_ah_attr;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.LibIbverbs;

/**
 * The way to a peer's port as datagrams take it.
 *
 * <p><b>Owner:</b> whoever created it, to be closed when no datagram that names it is being posted; those already posted
 * do not need it. <b>Threading:</b> thread-safe.
 *
 * <p>Source: ibv_create_ah(3).
 */
public final class AddressHandle extends VerbsObject {
    private final ProtectionDomain domain;
    private final MemorySegment handle;

    private AddressHandle(ProtectionDomain domain, MemorySegment handle) {
        super("address handle of " + domain.context(), domain);
        this.domain = domain;
        this.handle = handle;
    }

    static AddressHandle create(ProtectionDomain domain, AddressVector vector) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_ah_attr.allocate(arena);
            vector.write(attributes);
            return new AddressHandle(domain,
                    NativeCall.pointer("ibv_create_ah", () -> domain.context().on() + ", " + vector,
                            capture -> (MemorySegment) LibIbverbs.CreateAh.HANDLE.invokeExact(capture, domain.pointer(),
                                    attributes)));
        }
    }

    /** Where it was created; only queue pairs of this domain may post datagrams that name it. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** Only while a call is in it. */
    MemorySegment pointer() {
        return handle;
    }

    @Override
    void destroy() {
        NativeCall.check("ibv_destroy_ah", () -> domain.context().on(), ibv_destroy_ah(handle));
    }
}
