package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Two connected queue pairs of one device with a completion queue and a region each, for tests on a real device; see
 * {@link TestDevice}.
 *
 * <p>Threading: confined to the test's thread.
 */
final class LoopbackPair implements AutoCloseable {
    static final int REGION_BYTE_SIZE = 64 << 10;
    private static final long HANG_NS = TimeUnit.SECONDS.toNanos(30);

    /** One end of the pair. */
    static final class Side {
        final CompletionQueue queue;
        final QueuePair queuePair;
        final MemoryRegion region;
        final WorkCompletions completions = new WorkCompletions(64);
        final SendRequests sends = new SendRequests(16, 4, 64);
        final ReceiveRequests receives = new ReceiveRequests(16, 4);

        Side(ProtectionDomain domain, CompletionQueue queue, QueuePairOptions options, Set<AccessFlag> access) {
            this.queue = queue;
            this.queuePair = domain.createQueuePair(options);
            this.region = domain.allocate(REGION_BYTE_SIZE, access);
        }

        /** Posts a receive of so many bytes at the offset. */
        void receive(long id, long offset, long byteSize) {
            receives.get(0).receive(id).element(region, offset, byteSize);
            assertEquals(1, queuePair.post(receives, 0, 1));
        }

        /** The next completion, which must end so. */
        void expect(long id, WorkCompletionStatus status) {
            long start = System.nanoTime();
            while (queue.poll(completions, 1) == 0) {
                assertTrue(System.nanoTime() - start < HANG_NS, "no completion of request " + id);
                Thread.yield();
            }
            assertEquals(id, completions.workRequestId(0), () -> "status=" + completions.status(0));
            assertEquals(status, completions.status(0));
        }
    }

    final DeviceContext context;
    final Port port;
    final GidEntry gid;
    final ProtectionDomain domain;
    final Side initiator;
    final Side target;
    private final List<CompletionQueue> queues = new ArrayList<>();
    private final CmLinks links = new CmLinks();

    /** A connected pair with all rights, depth 16 and 4 elements. */
    LoopbackPair(QueuePairType type) {
        this(type, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ,
                AccessFlag.REMOTE_ATOMIC), UnaryOperator.identity());
    }

    LoopbackPair(QueuePairType type, Set<AccessFlag> access, UnaryOperator<QueuePairOptions> options) {
        context = TestDevice.open();
        port = context.query().ports().getFirst();
        gid = TestDevice.gid(port);
        domain = context.allocateProtectionDomain();
        initiator = side(type, access, options);
        target = side(type, access, options);
        connect(initiator.queuePair, target.queuePair);
    }

    private Side side(QueuePairType type, Set<AccessFlag> access, UnaryOperator<QueuePairOptions> options) {
        CompletionQueue queue = context.createCompletionQueue(64);
        queues.add(queue);
        QueuePairOptions basic = QueuePairOptions.of(type, queue).withElementCountMax(4, 4).withInlineByteSizeMax(64);
        return new Side(domain, queue, options.apply(basic), access);
    }

    /** From RESET, as the device wants it. */
    void connect(QueuePair one, QueuePair other) {
        links.connect(one, other, TestDevice.connectionOptions(port, gid));
    }

    void expectState(QueuePair pair, QueuePairState state) {
        links.expectState(pair, state);
    }

    void toInit(QueuePair pair) {
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(port.number()).partitionKeyIndex(0).access(
                EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC)));
    }

    void toReadyToReceive(QueuePair pair, int peer) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE)
                .addressVector(AddressVector.toGid(port.number(), gid.index(), gid.gid()))
                .mtu(1024).destination(peer).receivePacketSequence(0);
        if (pair.type() == QueuePairType.RELIABLE_CONNECTED) {
            attributes.readsAcceptedMax(4).receiverNotReadyTimer(12);
        }
        pair.modify(attributes);
    }

    static void toReadyToSend(QueuePair pair) {
        QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.READY_TO_SEND).sendPacketSequence(0);
        if (pair.type() == QueuePairType.RELIABLE_CONNECTED) {
            attributes.readsOutstandingMax(4).retryCount(3).receiverNotReadyRetry(1).timeout(14);
        }
        pair.modify(attributes);
    }

    /** Connects both anew, so that they try again as often as this when there is no receive. */
    void reconnect(int receiverNotReadyRetry) {
        DirectConnectionOptions options = TestDevice.connectionOptions(port, gid);
        for (Side side : List.of(initiator, target)) {
            side.queuePair.modify(QueuePairAttributes.to(QueuePairState.RESET));
        }
        DirectConnection.connect(initiator.queuePair, target.queuePair,
                options.withRetries(options.retries().withReceiverNotReady(12, receiverNotReadyRetry)));
    }

    /** A request of the initiator, alone. */
    SendRequest request() {
        return initiator.sends.get(0);
    }

    void post() {
        assertEquals(1, initiator.queuePair.post(initiator.sends, 0, 1));
    }

    @Override
    public void close() {
        for (Side side : List.of(initiator, target)) {
            side.queuePair.close();
            side.region.close();
        }
        queues.forEach(CompletionQueue::close);
        links.close();
        domain.close();
        TestDevice.close(context);
    }
}
