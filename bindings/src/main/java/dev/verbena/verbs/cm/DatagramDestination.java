package dev.verbena.verbs.cm;

import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.AddressVector;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.abi.rdma_ud_param;
import dev.verbena.verbs.bridge.VerbsAccess;

/**
 * Where datagrams go: a peer's queue pair, or all of a multicast group. What {@link SendRequest#to} takes, with an
 * address handle made from the path.
 *
 * @param path for {@link ProtectionDomain#createAddressHandle}
 * @param queuePairNumber 24 bits; of a group all ones
 * @param queueKey that its receivers were given
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: struct rdma_ud_param, rdma_get_cm_event(3).
 */
public record DatagramDestination(AddressVector path, int queuePairNumber, int queueKey) {
    static DatagramDestination read(MemorySegment parameters) {
        return new DatagramDestination(VerbsAccess.get().addressVector(rdma_ud_param.ah_attr(parameters)),
                rdma_ud_param.qp_num(parameters), rdma_ud_param.qkey(parameters));
    }
}
