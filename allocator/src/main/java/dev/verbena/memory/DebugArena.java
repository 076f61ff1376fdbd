package dev.verbena.memory;

import java.util.List;
import java.util.stream.Collectors;

import dev.verbena.memory.debug.DebugBlocks;

/**
 * An arena that looks for mistakes of its users; slow, and otherwise as any.
 *
 * <pre>
 *   mistake                                    caught
 *   write in front of or behind a tensor       when it is freed, and by {@link #check}
 *   write after free                           when the block leaves quarantine, and by {@link #check}
 *   read before anything was written           floating-point results are NaN
 *   use of a segment after its tensor's free   at once, by the JDK: IllegalStateException
 *   double free, use after free                at once; the message says where it was allocated and freed
 *   leak                                       at close; the message names each site, the most bytes first
 * </pre>
 *
 * <p>Guards and blocks in quarantine lie in the slabs and count against the budget, so a planned region is to be planned with
 * {@link DebugOptions#guardedByteSize}. Quarantine gives way before the arena is out of memory, and whenever {@link #statistics} are
 * asked for; guards are among the live bytes. Blocks by address have no segment that could die with them. A write into a freed block,
 * found by whichever call lets the block leave quarantine, is a {@link DamagedMemoryException}; the call has done its work nevertheless.
 *
 * <p><b>Owner:</b> whoever created it, as for any arena. <b>Threading:</b> thread-safe.
 */
public final class DebugArena extends TensorArena {
    private final DebugBlocks blocks;

    private DebugArena(DebugBlocks blocks) {
        super(blocks);
        this.blocks = blocks;
    }

    /** As {@link TensorArena#create}, with the {@link DebugOptions#defaults}. */
    public static DebugArena create(SlabSource source, long byteSize, long byteSizeMax) {
        return create(source, byteSize, byteSizeMax, DebugOptions.defaults());
    }

    /** As {@link TensorArena#create}. */
    public static DebugArena create(SlabSource source, long byteSize, long byteSizeMax, DebugOptions options) {
        return new DebugArena(new DebugBlocks(source, byteSize, byteSizeMax, options, callers()));
    }

    /**
     * Looks at the guards of all live blocks and at all bytes of those in quarantine; {@link #isConsistent} at the arena's own records, too.
     *
     * @throws DamagedMemoryException if somebody wrote there
     */
    public void check() {
        blocks.check();
    }

    /** What is live now, by where it was allocated, the most bytes first. */
    public List<SiteUsage> liveBySite() {
        return blocks.liveBySite();
    }
}
