package dev.verbena.verbs.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_port_attr;
import dev.verbena.verbs.abi.verbs_context;

/** Over a verbs_context of our own, as a provider would make it. */
class InlineVerbsTest {
    private final Arena arena = Arena.ofConfined();
    private MemorySegment extended;
    private MemorySegment context;

    @BeforeEach
    void makeContext() {
        extended = verbs_context.allocate(arena);
        context = verbs_context.context(extended);
        ibv_context.abi_compat(context, MemorySegment.ofAddress(-1));
        verbs_context.sz(extended, verbs_context.sizeof());
    }

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void queryPortGoesToTheProviderWithTheWholeSize() {
        verbs_context.query_port(extended, verbs_context.query_port.allocate((c, port, attributes, size) -> {
            MemorySegment all = attributes.reinterpret(size);
            ibv_port_attr.lid(all, port);
            ibv_port_attr.flags(all, (byte) 7);
            return c.address() == context.address() && size == ibv_port_attr.sizeof() ? 0 : 22;
        }, arena));
        MemorySegment attributes = ibv_port_attr.allocate(arena);
        assertEquals(0, InlineVerbs.queryPort(context, 3, attributes));
        assertEquals(3, ibv_port_attr.lid(attributes));
        assertEquals(7, ibv_port_attr.flags(attributes), "beyond the 48 bytes that the exported function fills in");
    }

    @Test
    void anOperationIsUsedOnlyWhereTheProviderHasIt() {
        long offset = InlineVerbs.offset("query_port");
        assertEquals(MemorySegment.NULL, InlineVerbs.extendedOperation(context, offset), "left empty");

        MemorySegment operation = MemorySegment.ofAddress(0x1234);
        verbs_context.query_port(extended, operation);
        assertEquals(operation, InlineVerbs.extendedOperation(context, offset));

        verbs_context.sz(extended, verbs_context.sizeof() - 8);
        assertEquals(MemorySegment.NULL, InlineVerbs.extendedOperation(context, offset),
                "an older libibverbs, one operation shorter");

        verbs_context.sz(extended, verbs_context.sizeof());
        ibv_context.abi_compat(context, MemorySegment.NULL);
        assertEquals(MemorySegment.NULL, InlineVerbs.extendedOperation(context, offset), "not extended");
    }
}
