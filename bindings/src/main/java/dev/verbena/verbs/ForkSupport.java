package dev.verbena.verbs;

import dev.verbena.verbs.ffi.Availability;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What becomes of registered memory when a process forks.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Java starts its children by vfork or posix_spawn, which touch no page; the danger is other code in the process that
 * forks. Source: ibv_is_fork_initialized(3), ibv_fork_init(3).
 */
public enum ForkSupport {
    /** A child may take a registered page along, and what the device writes is then lost for the parent. */
    DISABLED,
    /** Registered pages are kept out of children, at the price of one mapping of the kernel's for each region. */
    ENABLED,
    /** The kernel copies registered pages for the child: nothing has to be done. */
    UNNEEDED;

    /**
     * Of this process.
     *
     * @throws IllegalStateException where libibverbs cannot be called; the message says why
     */
    public static ForkSupport now() {
        String problem = Availability.problem();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        return of(ibv_is_fork_initialized());
    }

    static ForkSupport of(int status) {
        if (status == IBV_FORK_UNNEEDED()) {
            return UNNEEDED;
        }
        return status == IBV_FORK_ENABLED() ? ENABLED : DISABLED;
    }
}
