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
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;

import dev.verbena.verbs.cm.CmPair;

/**
 * A real device, the one that the environment variable VERBENA_TEST_DEVICE names, or the first; for tests that make their
 * own objects of it: what is kept is closed in reverse order.
 *
 * <p>Threading: confined to the test's thread.
 */
final class TestDevice implements AutoCloseable {
    static final Set<AccessFlag> ALL_RIGHTS = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC, AccessFlag.MEMORY_WINDOW_BIND);
    static final int QUEUE_KEY = 0x11111111;
    static final int REGION_BYTE_SIZE = 16 << 10;
    static final long HANG_NS = TimeUnit.SECONDS.toNanos(30);

    /** Asked for once: it takes some hundred calls. */
    private static final class Facts {
        static final DeviceFacts OF_THE_DEVICE = DeviceFacts.of(name());
    }

    private final Deque<VerbsObject> kept = new ArrayDeque<>();
    private final CmLinks links = new CmLinks();
    private final WorkCompletions completions = new WorkCompletions(1);
    final DeviceContext context;
    final Port port;
    final GidEntry gid;
    final ProtectionDomain domain;

    TestDevice() {
        context = open();
        port = context.query().ports().getFirst();
        gid = gid(port);
        domain = keep(context.allocateProtectionDomain());
    }

    static String name() {
        String name = System.getenv("VERBENA_TEST_DEVICE");
        return name != null ? name : VerbsDevice.list().getFirst().name();
    }

    /** The device as what connects its queue pairs has it; see {@link #close(DeviceContext)}. */
    static DeviceContext open() {
        return has(Need.CONNECTING_BY_HAND) ? DeviceContext.open(name()) : CmPair.device();
    }

    /** Not the one that all connections of the process share. */
    static void close(DeviceContext context) {
        if (has(Need.CONNECTING_BY_HAND)) {
            context.close();
        }
    }

    /** The one to send from; over Ethernet that of an IPv4 address. */
    static GidEntry gid(Port port) {
        return port.gids().stream().filter(entry -> entry.gid().isIpv4Mapped()).findFirst()
                .orElseGet(() -> port.gids().isEmpty() ? null : port.gids().getFirst());
    }

    static Driver driver() {
        return Facts.OF_THE_DEVICE.driver();
    }

    static boolean has(Need need) {
        return need.isMetBy(Facts.OF_THE_DEVICE);
    }

    /** Why what needs these is skipped; empty where the device has them. */
    static String lacking(Need... needs) {
        return NeedsCondition.describe(name(), Stream.of(needs).filter(need -> !has(need)).toList());
    }

    /** Skips the test where the device lacks one, for needs that only the test itself knows. */
    static void require(Need... needs) {
        String lacking = lacking(needs);
        Assumptions.assumeTrue(lacking.isEmpty(), lacking);
    }

    /** What a write left in the peer's memory: there at once if its completion waited for the peer, else soon. */
    static void expectArrived(long expected, LongSupplier memory) {
        if (!has(Need.ACKNOWLEDGEMENTS)) {
            await(() -> memory.getAsLong() == expected);
        }
        assertEquals(expected, memory.getAsLong());
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

    /** From RESET, as the device wants it. */
    void connect(QueuePair one, QueuePair other) {
        if (one.type() == QueuePairType.UNRELIABLE_DATAGRAM) {
            toReadyToSend(one);
            toReadyToSend(other);
        } else {
            links.connect(one, other, connectionOptions(port, gid));
        }
    }

    /** All rights, and few retries. */
    static DirectConnectionOptions connectionOptions(Port port, GidEntry gid) {
        int mtu = port.activeMtuBytes() == 0 ? 1024 : Math.min(1024, port.activeMtuBytes());
        return new DirectConnectionOptions(port, gid, mtu, 0, 0, 0, new Retries(14, 3, 12, 1), 4, 4,
                EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));
    }

    /** A queue pair for datagrams. */
    void toReadyToSend(QueuePair pair) {
        pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(port.number()).partitionKeyIndex(0)
                .queueKey(QUEUE_KEY));
        pair.modify(QueuePairAttributes.to(QueuePairState.READY_TO_RECEIVE));
        pair.modify(QueuePairAttributes.to(QueuePairState.READY_TO_SEND).sendPacketSequence(0));
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
        links.close();
        close(context);
    }
}
