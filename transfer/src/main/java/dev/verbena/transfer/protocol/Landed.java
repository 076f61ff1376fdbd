package dev.verbena.transfer.protocol;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;

/**
 * A tensor that is here, for who polls: read into memory of this side, or lying with its sender.
 *
 * <p><b>Owner:</b> who took it, until it goes to somebody. <b>Threading:</b> confined to its owner.
 */
interface Landed {
    /** The caller's from now on. */
    Tensor give();

    /** @throws IllegalStateException if the lease holds a tensor; nothing has changed then */
    void lend(TensorLease lease);

    /** Nobody wants it. */
    void drop();
}
