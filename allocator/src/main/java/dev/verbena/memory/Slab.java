package dev.verbena.memory;

import java.lang.foreign.MemorySegment;

/**
 * One large piece of memory that an arena carves tensors out of. A source may hand out a subtype that knows more of it,
 * such as the keys under which a device has registered it; {@link Tensor#slab()} leads back to that.
 *
 * <p><b>Owner:</b> the {@link SlabSource} that handed it out. <b>Threading:</b> immutable; its bytes are shared.
 */
public interface Slab {
    /** All bytes of the slab; stays the same segment for the slab's whole life. Aligned to at least 4096 bytes, unless it is memory of the caller. */
    MemorySegment memory();

    /** What that memory is like: which pages, of which node, and why none better. */
    default SlabBacking backing() {
        return SlabBacking.UNSAID;
    }
}
