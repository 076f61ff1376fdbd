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
    SEND(IBV_ODP_SUPPORT_SEND()), RECEIVE(IBV_ODP_SUPPORT_RECV()), WRITE(IBV_ODP_SUPPORT_WRITE()),
    READ(IBV_ODP_SUPPORT_READ()), ATOMIC(IBV_ODP_SUPPORT_ATOMIC()), SHARED_RECEIVE(IBV_ODP_SUPPORT_SRQ_RECV());

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
