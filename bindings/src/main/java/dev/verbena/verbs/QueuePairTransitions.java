package dev.verbena.verbs;

import static dev.verbena.verbs.QueuePairAttribute.*;
import static dev.verbena.verbs.QueuePairType.*;

import java.util.EnumSet;
import java.util.Set;

/**
 * Which attributes a queue pair's way from RESET to READY_TO_SEND takes, so that what is missing is named: the kernel
 * says EINVAL to everything.
 *
 * <p>Source: the tables of ibv_modify_qp(3), NOTES.
 */
final class QueuePairTransitions {
    private QueuePairTransitions() {}

    /** What must be given together with STATE to come to this state; from any other state than its predecessor too. */
    static Set<QueuePairAttribute> required(QueuePairType type, QueuePairState from, QueuePairState to) {
        if (from == QueuePairState.RESET && to == QueuePairState.INIT) {
            return EnumSet.of(PARTITION_KEY_INDEX, PORT, type == UNRELIABLE_DATAGRAM ? QUEUE_KEY : ACCESS_FLAGS);
        }
        if (from == QueuePairState.INIT && to == QueuePairState.READY_TO_RECEIVE) {
            return switch (type) {
                case RELIABLE_CONNECTED -> EnumSet.of(ADDRESS_VECTOR, PATH_MTU, DESTINATION, RECEIVE_PACKET_SEQUENCE,
                        READS_ACCEPTED_MAX, RECEIVER_NOT_READY_TIMER);
                case UNRELIABLE_CONNECTED -> EnumSet.of(ADDRESS_VECTOR, PATH_MTU, DESTINATION,
                        RECEIVE_PACKET_SEQUENCE);
                case UNRELIABLE_DATAGRAM -> EnumSet.noneOf(QueuePairAttribute.class);
            };
        }
        if (from == QueuePairState.READY_TO_RECEIVE && to == QueuePairState.READY_TO_SEND) {
            return type == RELIABLE_CONNECTED
                    ? EnumSet.of(SEND_PACKET_SEQUENCE, READS_OUTSTANDING_MAX, RETRY_COUNT, RECEIVER_NOT_READY_RETRY,
                            TIMEOUT)
                    : EnumSet.of(SEND_PACKET_SEQUENCE);
        }
        return EnumSet.noneOf(QueuePairAttribute.class);
    }

    /** @throws IllegalArgumentException if one is missing; the message names it */
    static void check(QueuePairType type, QueuePairState from, QueuePairAttributes attributes) {
        if (attributes.state() == null) {
            return;
        }
        Set<QueuePairAttribute> missing = required(type, from, attributes.state());
        missing.removeAll(attributes.given());
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("a queue pair of type=" + type + " comes from state=" + from
                    + " to state=" + attributes.state() + " only with " + missing + ": give them too");
        }
    }
}
