package dev.verbena.verbs.cm;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import dev.verbena.verbs.ffi.Errno;

/**
 * An event's status in words: an errno, negative, or the reason that an InfiniBand or RoCE peer gave for rejecting.
 *
 * <p>Source: rdma_get_cm_event(3); InfiniBand Architecture Specification 1.4, 12.6.7.2 (reasons for rejection),
 * 12.11.2 (status of datagrams).
 */
final class CmFailure {
    private static final int CONSUMER_DEFINED = 28;

    private CmFailure() {}

    /** What happened and what to do. */
    static String describe(CmEventType type, int status) {
        String advice = advice(type, status);
        String cause = status > 0 ? "reason=" + status + " (" + reason(type, status) + ")" : Errno.describe(-status);
        return type + ", " + cause + (advice == null ? "." : ": " + advice + ".");
    }

    private static String advice(CmEventType type, int status) {
        return switch (type) {
            case ADDRESS_ERROR -> "look whether a route leads to the address (ip route get ADDRESS) over a network"
                    + " interface that has an RDMA device (rdma link), and whether the peer answers there (ip neighbour)";
            case ROUTE_ERROR -> "look whether the subnet manager runs, if the device is an InfiniBand one";
            case UNREACHABLE -> status > 0 ? datagramAdvice(status)
                    : "look whether the peer's machine is up and has an RDMA device with that address, and"
                            + " whether a firewall drops RoCE (UDP port 4791) or, with iWARP, that TCP port";
            case REJECTED -> rejectionAdvice(status);
            case DEVICE_REMOVAL -> "close all that was made from the device";
            default -> null;
        };
    }

    private static String rejectionAdvice(int status) {
        return switch (status) {
            case 8 -> "look whether the server runs and listens at that port";
            case 10 -> "a connection of before has not ended at the peer: try again";
            case CONSUMER_DEFINED ->
                "the program there refused, or ended before it accepted; its private data may say why";
            default -> iwarpAdvice(status);
        };
    }

    /** There is no reason but TCP's, or that of a reply which says that it is a rejection. */
    private static String iwarpAdvice(int status) {
        if (status == -ECONNREFUSED()) {
            return "look whether the server runs and listens at that port";
        }
        return status == -ECONNRESET()
                ? "the program there refused, or ended before it accepted; its private data may say why"
                : null;
    }

    private static String reason(CmEventType type, int status) {
        return type == CmEventType.REJECTED ? connectionReason(status) : datagramReason(status);
    }

    private static String datagramAdvice(int status) {
        return status == 1 ? "look whether the server runs and listens at that port"
                : "the program there refused, or has no queue pair; its private data may say why";
    }

    /** Why a peer did not say where its datagrams are to go. */
    private static String datagramReason(int reason) {
        return switch (reason) {
            case 1 -> "nobody listens at that port";
            case 2 -> "refused by the program";
            case 3 -> "no queue pair available";
            case 4 -> "to be asked elsewhere";
            case 5 -> "unsupported version";
            default -> "one that InfiniBand's specification numbers so";
        };
    }

    private static String connectionReason(int reason) {
        return switch (reason) {
            case 1 -> "no queue pair available";
            case 3 -> "no resources available";
            case 4 -> "time ran out";
            case 5 -> "unsupported request";
            case 8 -> "nobody listens at that port";
            case 9 -> "transport service type invalid";
            case 10 -> "stale connection";
            case 12 -> "primary GID invalid";
            case 13 -> "primary LID invalid";
            case 14 -> "service level invalid";
            case 15 -> "traffic class invalid";
            case 16 -> "hop limit invalid";
            case 17 -> "packet rate invalid";
            case 26 -> "path MTU invalid";
            case 27 -> "too few resources for its reads";
            case CONSUMER_DEFINED -> "refused by the program";
            case 29 -> "receiver-not-ready retry count invalid";
            case 32 -> "flow label invalid";
            default -> "one that InfiniBand's specification numbers so";
        };
    }
}
