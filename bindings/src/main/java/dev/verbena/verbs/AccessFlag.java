package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.util.EnumSet;
import java.util.Set;

/**
 * What may be done to a memory region or through a queue pair; local reading is always allowed.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_reg_mr(3), enum ibv_access_flags.
 */
public enum AccessFlag {
    /** Own queue pairs may write: as destination of receives, reads and atomics. */
    LOCAL_WRITE(IBV_ACCESS_LOCAL_WRITE()),
    /** Peers may write; needs LOCAL_WRITE. */
    REMOTE_WRITE(IBV_ACCESS_REMOTE_WRITE()),
    /** Peers may read. */
    REMOTE_READ(IBV_ACCESS_REMOTE_READ()),
    /** Peers may do atomics; needs LOCAL_WRITE. */
    REMOTE_ATOMIC(IBV_ACCESS_REMOTE_ATOMIC()),
    /** Memory windows may be bound to the region. */
    MEMORY_WINDOW_BIND(IBV_ACCESS_MW_BIND()),
    /** Peers address it by byte offset from 0 instead of by address. */
    ZERO_BASED(IBV_ACCESS_ZERO_BASED()),
    /** Pages are not pinned but faulted in by the device (on-demand paging). */
    ON_DEMAND(IBV_ACCESS_ON_DEMAND()),
    /** All its pages are huge ones and stay so, which the caller promises; means something beside ON_DEMAND only. */
    HUGE_PAGES(IBV_ACCESS_HUGETLB()),
    /** Writes may become visible in any order; dropped silently where the kernel does not know it. */
    RELAXED_ORDERING(IBV_ACCESS_RELAXED_ORDERING());

    private static final AccessFlag[] VALUES = values();

    private final int bit;

    AccessFlag(int bit) {
        this.bit = bit;
    }

    /** Allocates nothing: memory windows are bound on the data path. */
    static int bits(Set<AccessFlag> flags) {
        int bits = 0;
        for (AccessFlag flag : VALUES) {
            if (flags.contains(flag)) {
                bits |= flag.bit;
            }
        }
        return bits;
    }

    static Set<AccessFlag> of(int bits) {
        Set<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag flag : VALUES) {
            if ((bits & flag.bit) != 0) {
                flags.add(flag);
            }
        }
        return flags;
    }
}
