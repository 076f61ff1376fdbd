package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What an {@link AsyncEvent} tells.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_event_type, ibv_get_async_event(3).
 */
public enum AsyncEventType {
    /** A queue pair failed without a completion that could say so. */
    QUEUE_PAIR_FATAL(IBV_EVENT_QP_FATAL(), Concern.QUEUE_PAIR),
    /** A queue pair got a request that is invalid. */
    QUEUE_PAIR_REQUEST_ERROR(IBV_EVENT_QP_REQ_ERR(), Concern.QUEUE_PAIR),
    /** A queue pair got a request that violates rights. */
    QUEUE_PAIR_ACCESS_ERROR(IBV_EVENT_QP_ACCESS_ERR(), Concern.QUEUE_PAIR),
    /** The first packet came before the queue pair was READY_TO_SEND. */
    COMMUNICATION_ESTABLISHED(IBV_EVENT_COMM_EST(), Concern.QUEUE_PAIR),
    /** The send queue is drained, as asked for. */
    SEND_QUEUE_DRAINED(IBV_EVENT_SQ_DRAINED(), Concern.QUEUE_PAIR),
    /** A queue pair changed to its alternate path. */
    PATH_MIGRATED(IBV_EVENT_PATH_MIG(), Concern.QUEUE_PAIR),
    /** A queue pair could not change to its alternate path. */
    PATH_MIGRATION_ERROR(IBV_EVENT_PATH_MIG_ERR(), Concern.QUEUE_PAIR),
    /** A queue pair in state ERROR has taken its last receive of a shared receive queue. */
    LAST_RECEIVE_REACHED(IBV_EVENT_QP_LAST_WQE_REACHED(), Concern.QUEUE_PAIR),
    /** A completion queue is dead: it overran. */
    COMPLETION_QUEUE_ERROR(IBV_EVENT_CQ_ERR(), Concern.COMPLETION_QUEUE),
    /** A shared receive queue failed and gives out no more receives: close it and its queue pairs. */
    SHARED_RECEIVE_QUEUE_ERROR(IBV_EVENT_SRQ_ERR(), Concern.SHARED_RECEIVE_QUEUE),
    /** Fewer receives are left than the limit; see {@link SharedReceiveQueue#limit}. */
    SHARED_RECEIVE_QUEUE_LIMIT_REACHED(IBV_EVENT_SRQ_LIMIT_REACHED(), Concern.SHARED_RECEIVE_QUEUE),
    /** The link of a port has become active: data flows. */
    PORT_ACTIVE(IBV_EVENT_PORT_ACTIVE(), Concern.PORT),
    /** The link of a port has become unavailable, for instance by its cable or switch: requests are retried, and fail if it lasts. */
    PORT_ERROR(IBV_EVENT_PORT_ERR(), Concern.PORT),
    /** The subnet manager gave a port another LID, on InfiniBand: peers that name the old one no longer reach it. */
    LID_CHANGE(IBV_EVENT_LID_CHANGE(), Concern.PORT),
    /** The table of partition keys of a port changed: an index into it may stand for another key, or for none. */
    PARTITION_KEY_CHANGE(IBV_EVENT_PKEY_CHANGE(), Concern.PORT),
    /** The GID table of a port changed, as when its network interface gets or loses an IP address: query the GIDs anew. */
    GID_CHANGE(IBV_EVENT_GID_CHANGE(), Concern.PORT),
    /** A port has another subnet manager, on InfiniBand; {@link Port#subnetManagerLid} is its LID. */
    SUBNET_MANAGER_CHANGE(IBV_EVENT_SM_CHANGE(), Concern.PORT),
    /** The subnet manager wants subscriptions renewed. */
    CLIENT_REREGISTER(IBV_EVENT_CLIENT_REREGISTER(), Concern.PORT),
    /** The device is gone for good: close everything. */
    DEVICE_FATAL(IBV_EVENT_DEVICE_FATAL(), Concern.DEVICE),
    /** One that these bindings do not know. */
    UNKNOWN(-1, Concern.DEVICE);

    /** What stands in the event's union. */
    enum Concern {
        QUEUE_PAIR, COMPLETION_QUEUE, SHARED_RECEIVE_QUEUE, PORT, DEVICE
    }

    private final int code;
    private final Concern concern;

    AsyncEventType(int code, Concern concern) {
        this.code = code;
        this.concern = concern;
    }

    static AsyncEventType of(int code) {
        for (AsyncEventType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return UNKNOWN;
    }

    Concern concern() {
        return concern;
    }
}
