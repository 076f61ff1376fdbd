package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.util.EnumSet;
import java.util.Set;

/**
 * What may be done with memory that is not pinned but faulted in.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_odp_transport_cap_bits, ibv_query_device_ex(3).
 */
public enum OnDemandOperation {
    /** Sends may take their data from such memory. */
    SEND(IBV_ODP_SUPPORT_SEND()),
    /** Messages may arrive in such memory, in receives of the queue pair's own receive queue. */
    RECEIVE(IBV_ODP_SUPPORT_RECV()),
    /** RDMA writes may name such memory, with or without immediate. */
    WRITE(IBV_ODP_SUPPORT_WRITE()),
    /** RDMA reads may name such memory. */
    READ(IBV_ODP_SUPPORT_READ()),
    /** Compare and swap, and fetch and add, may name such memory. */
    ATOMIC(IBV_ODP_SUPPORT_ATOMIC()),
    /** Messages may arrive in such memory, in receives of a shared receive queue; apart from RECEIVE. */
    SHARED_RECEIVE(IBV_ODP_SUPPORT_SRQ_RECV());

    private final int bit;

    OnDemandOperation(int bit) {
        this.bit = bit;
    }

    static Set<OnDemandOperation> of(int bits) {
        Set<OnDemandOperation> operations = EnumSet.noneOf(OnDemandOperation.class);
        for (OnDemandOperation operation : values()) {
            if ((bits & operation.bit) != 0) {
                operations.add(operation);
            }
        }
        return operations;
    }
}
