package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_device_attr;

/**
 * What a device can take, under the names of {@code struct ibv_device_attr}.
 *
 * @param regionByteSizeMax max_mr_size; unsigned, -1 for all of memory
 * @param pageByteSizes page_size_cap, a bit for each page size that the device knows
 * @param queuePairCountMax max_qp
 * @param depthMax max_qp_wr, of a send or receive queue
 * @param elementCountMax max_sge, of a request that is no read
 * @param readElementCountMax max_sge_rd, of a read
 * @param completionQueueCountMax max_cq
 * @param completionCountMax max_cqe, of a completion queue
 * @param regionCountMax max_mr
 * @param protectionDomainCountMax max_pd
 * @param readsAcceptedMax max_qp_rd_atom, reads and atomics under way towards a queue pair
 * @param readsOutstandingMax max_qp_init_rd_atom, reads and atomics under way from a queue pair
 * @param memoryWindowCountMax max_mw
 * @param addressHandleCountMax max_ah
 * @param sharedReceiveQueueCountMax max_srq
 * @param sharedReceiveDepthMax max_srq_wr
 * @param sharedReceiveElementCountMax max_srq_sge
 * @param partitionKeyCountMax max_pkeys
 * @param capabilityFlags device_cap_flags
 * @param atomicCapability atomic_cap: 0 none, 1 among queue pairs of this device, 2 with all of memory
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_query_device(3).
 */
public record DeviceLimits(long regionByteSizeMax, long pageByteSizes, int queuePairCountMax, int depthMax,
        int elementCountMax, int readElementCountMax, int completionQueueCountMax, int completionCountMax,
        int regionCountMax, int protectionDomainCountMax, int readsAcceptedMax, int readsOutstandingMax,
        int memoryWindowCountMax, int addressHandleCountMax, int sharedReceiveQueueCountMax,
        int sharedReceiveDepthMax, int sharedReceiveElementCountMax, int partitionKeyCountMax, int capabilityFlags,
        int atomicCapability) {
    static DeviceLimits of(MemorySegment attributes) {
        return new DeviceLimits(ibv_device_attr.max_mr_size(attributes), ibv_device_attr.page_size_cap(attributes),
                ibv_device_attr.max_qp(attributes), ibv_device_attr.max_qp_wr(attributes),
                ibv_device_attr.max_sge(attributes), ibv_device_attr.max_sge_rd(attributes),
                ibv_device_attr.max_cq(attributes), ibv_device_attr.max_cqe(attributes),
                ibv_device_attr.max_mr(attributes), ibv_device_attr.max_pd(attributes),
                ibv_device_attr.max_qp_rd_atom(attributes), ibv_device_attr.max_qp_init_rd_atom(attributes),
                ibv_device_attr.max_mw(attributes), ibv_device_attr.max_ah(attributes),
                ibv_device_attr.max_srq(attributes), ibv_device_attr.max_srq_wr(attributes),
                ibv_device_attr.max_srq_sge(attributes),
                Short.toUnsignedInt(ibv_device_attr.max_pkeys(attributes)),
                ibv_device_attr.device_cap_flags(attributes), ibv_device_attr.atomic_cap(attributes));
    }
}
