package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A real device, as for {@link LoopbackPair}, for tests that make their own objects of it: what is kept is closed in
 * reverse order.
 *
 * <p>Threading: confined to the test's thread.
 */
final class TestDevice implements AutoCloseable {
    static final Set<AccessFlag> ALL_RIGHTS = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.MEMORY_WINDOW_BIND);
    static final int QUEUE_KEY = 0x11111111;
    static final int REGION_BYTE_SIZE = 16 << 10;
    static final long HANG_NS = TimeUnit.SECONDS.toNanos(30);

    private final Deque<VerbsObject> kept = new ArrayDeque<>();
    private final WorkCompletions completions = new WorkCompletions(1);
    final DeviceContext context;
    final Port port;
    final GidEntry gid;
    final ProtectionDomain domain;

    TestDevice() {
        context = keep(DeviceContext.open(LoopbackPair.deviceName()));
        port = context.query().ports().getFirst();
        gid = port.gids().stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst().orElseThrow();
        domain = keep(context.allocateProtectionDomain());
    }

    <T extends VerbsObject> T keep(T object) {
        kept.push(object);
        return object;
    }

    CompletionQueue queue() {
        return keep(context.createCompletionQueue(64));
    }

    MemoryRegion region() {
        return keep(domain.allocate(REGION_BYTE_SIZE, ALL_RIGHTS));
    }

    static QueuePairOptions options(QueuePairType type, CompletionQueue queue) {
        return QueuePairOptions.of(type, queue).withElementCountMax(4, 4).withInlineByteSizeMax(64);
    }

    QueuePair queuePair(QueuePairType type, CompletionQueue queue) {
        return keep(domain.createQueuePair(options(type, queue)));
    }

    AddressVector path() {
        return AddressVector.toGid(port.number(), gid.index(), gid.gid());
    }

    void connect(QueuePair one, QueuePair other) {
        toReadyToSend(one, other.number());
        toReadyToSend(other, one.number());
    }

    /** The peer does not matter to a datagram queue pair. */
    void toReadyToSend(QueuePair pair, int peer) {
        QueuePairAttributes init = QueuePairAttributes.to(QueuePairState.INIT).port(port.number())
                .partitionKeyIndex(0);
        QueuePairAttributes receive = QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE);
        QueuePairAttributes send = QueuePairAttributes.to(QueuePairState.READY_TO_SEND).sendPacketSequence(0);
        if (pair.type() == QueuePairType.UNRELIABLE_DATAGRAM) {
            init.queueKey(QUEUE_KEY);
        } else {
            init.access(EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));
            receive.addressVector(path()).mtu(1024).destination(peer).receivePacketSequence(0);
        }
        if (pair.type() == QueuePairType.RELIABLE_CONNECTED) {
            receive.readsAcceptedMax(4).receiverNotReadyTimer(12);
            send.readsOutstandingMax(4).retryCount(3).receiverNotReadyRetry(1).timeout(14);
        }
        pair.modify(init);
        pair.modify(receive);
        pair.modify(send);
    }

    static void receive(QueuePair pair, long id, MemoryRegion region, long offset, long byteSize) {
        ReceiveRequests receives = new ReceiveRequests(1, 1);
        receives.get(0).receive(id).element(region, offset, byteSize);
        assertEquals(1, pair.post(receives, 0, 1));
    }

    /** The next completion, which must end so. */
    WorkCompletions expect(CompletionQueue queue, long id, WorkCompletionStatus status) {
        await(() -> queue.poll(completions) == 1);
        assertEquals(id, completions.workRequestId(0), () -> "status=" + completions.status(0));
        assertEquals(status, completions.status(0));
        return completions;
    }

    static void await(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < HANG_NS, "what was waited for did not come");
            Thread.yield();
        }
    }

    static void put(MemoryRegion region, long offset, long value) {
        region.memory().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
    }

    static long get(MemoryRegion region, long offset) {
        return region.memory().get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    @Override
    public void close() {
        kept.forEach(VerbsObject::close);
    }
}
