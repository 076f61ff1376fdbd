package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class SlabSizeProperties {
    private static final long HUGE = 2 << 20;

    /** Up to 8 GiB of address space, of which nothing is touched. */
    @Property(tries = 200)
    void slabsAreRoundedUpToTheirPagesAndAligned(@ForAll PageKind pages,
            @ForAll @LongRange(min = 1, max = 8L << 30) long byteSize) {
        OffHeapSlabSource source = new OffHeapSlabSource(SlabOptions.defaults().withPages(pages));
        // Reserved pages are committed at once, so only a few are asked for.
        long asked = pages == PageKind.RESERVED_HUGE ? Math.ceilDiv(byteSize, 1 << 12) : byteSize;
        Slab slab = source.acquire(asked);
        long unit = slab.backing().pages() == PageKind.PLAIN ? 4096 : HUGE;
        long got = slab.memory().byteSize();
        assertTrue(got >= asked && got < asked + unit, "asked=" + asked + " " + slab);
        assertEquals(0, got % unit);
        assertEquals(0, slab.memory().address() % unit);
        assertEquals(got, source.heldByteSize());
        source.release(slab);
        assertEquals(0, source.heldByteSize());
    }
}
