package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_ece;

/**
 * What two devices of a vendor agree on, when their queue pairs are connected, beyond the standard. One side's is handed
 * to the other, which sets it and hands back what it took of it.
 *
 * @param vendorId the vendor's IEEE number
 * @param options in the vendor's own meaning
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_query_ece(3), ibv_set_ece(3).
 */
public record EnhancedConnection(int vendorId, int options) {
    static EnhancedConnection read(MemorySegment struct) {
        return new EnhancedConnection(ibv_ece.vendor_id(struct), ibv_ece.options(struct));
    }

    MemorySegment write(Arena arena) {
        MemorySegment struct = ibv_ece.allocate(arena);
        ibv_ece.vendor_id(struct, vendorId);
        ibv_ece.options(struct, options);
        return struct;
    }
}
