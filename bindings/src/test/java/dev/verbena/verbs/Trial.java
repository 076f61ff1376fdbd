package dev.verbena.verbs;

import java.util.EnumSet;
import java.util.Set;

/** What no attribute of a device tells: it is tried on an opened one. */
enum Trial {
    DATAGRAM_QUEUE_PAIR {
        @Override
        void run(ProtectionDomain domain, CompletionQueue queue) {
            domain.createQueuePair(QueuePairOptions.of(QueuePairType.UNRELIABLE_DATAGRAM, queue)).close();
        }
    },
    UNRELIABLE_QUEUE_PAIR {
        @Override
        void run(ProtectionDomain domain, CompletionQueue queue) {
            domain.createQueuePair(QueuePairOptions.of(QueuePairType.UNRELIABLE_CONNECTED, queue)).close();
        }
    },
    EXTENDED_QUEUE_PAIR {
        @Override
        void run(ProtectionDomain domain, CompletionQueue queue) {
            domain.createExtendedQueuePair(QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue),
                    EnumSet.allOf(SendOperation.class)).close();
        }
    },
    EXTENDED_COMPLETION_QUEUE {
        @Override
        void run(ProtectionDomain domain, CompletionQueue queue) {
            domain.context().createExtendedCompletionQueue(1, EnumSet.noneOf(CompletionField.class)).close();
        }
    },
    RESIZED_COMPLETION_QUEUE {
        @Override
        void run(ProtectionDomain domain, CompletionQueue queue) {
            queue.resize(2 * queue.capacity());
        }
    },
    QUERY_OF_SHARED_RECEIVE_QUEUE {
        @Override
        void run(ProtectionDomain domain, CompletionQueue queue) {
            try (SharedReceiveQueue shared = domain.createSharedReceiveQueue(1, 1)) {
                shared.query();
            }
        }
    },
    RECEIVE_WITHOUT_ELEMENTS {
        @Override
        void run(ProtectionDomain domain, CompletionQueue queue) {
            ReceiveRequests receives = new ReceiveRequests(1, 1);
            receives.get(0).receive(1);
            try (QueuePair pair = domain.createQueuePair(
                    QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue))) {
                pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(1).partitionKeyIndex(0).access(Set.of()));
                pair.post(receives, 0, 1);
            }
        }
    };

    /** Throws where the device cannot. */
    abstract void run(ProtectionDomain domain, CompletionQueue queue);

    /** Those that succeed on the device. */
    static Set<Trial> passedBy(DeviceContext context) {
        Set<Trial> passed = EnumSet.noneOf(Trial.class);
        for (Trial trial : values()) {
            try (ProtectionDomain domain = context.allocateProtectionDomain();
                    CompletionQueue queue = context.createCompletionQueue(16)) {
                trial.run(domain, queue);
                passed.add(trial);
            } catch (VerbsException cannot) {
                // That is the answer.
            }
        }
        return passed;
    }
}
