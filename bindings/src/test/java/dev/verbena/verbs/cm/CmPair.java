package dev.verbena.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePairOptions;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairType;
import dev.verbena.verbs.ReceiveRequests;
import dev.verbena.verbs.TestedDevice;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletionStatus;
import dev.verbena.verbs.WorkCompletions;

/**
 * A listener and the two ends of a connection to it, all on one event channel served by the test's thread.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class CmPair implements AutoCloseable {
    public static final long HANG_NS = TimeUnit.SECONDS.toNanos(30);

    /** What an end needs of the device. */
    public static final class Resources implements AutoCloseable {
        public final ProtectionDomain domain;
        public final CompletionQueue queue;
        public final MemoryRegion region;
        private final QueuePairType type;

        Resources(DeviceContext context) {
            this(context, QueuePairType.RELIABLE_CONNECTED);
        }

        Resources(DeviceContext context, QueuePairType type) {
            this.type = type;
            domain = context.allocateProtectionDomain();
            queue = context.createCompletionQueue(64);
            region = domain.allocate(4096,
                    EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
        }

        public QueuePairOptions options() {
            return QueuePairOptions.of(type, queue);
        }

        void receive(QueuePair pair, long id, long offset, long byteSize) {
            ReceiveRequests receives = new ReceiveRequests(1, 1);
            receives.get(0).receive(id).element(region, offset, byteSize);
            assertEquals(1, pair.post(receives, 0, 1));
        }

        /** The next completion's, which must succeed. */
        WorkCompletions expectCompletion(long id) {
            WorkCompletions completions = new WorkCompletions(1);
            long start = System.nanoTime();
            while (queue.poll(completions) == 0) {
                assertTrue(System.nanoTime() - start < HANG_NS, "no completion of request " + id);
                Thread.onSpinWait();
            }
            assertEquals(WorkCompletionStatus.SUCCESS, completions.status(0));
            assertEquals(id, completions.workRequestId(0));
            return completions;
        }

        @Override
        public void close() {
            region.close();
            queue.close();
            domain.close();
        }
    }

    public final CmEventChannel channel = CmEventChannel.create();
    public final CmId listener;
    public final CmId active;
    /** From the request on. */
    CmId passive;
    public Resources resources;

    public CmPair() {
        this(CmPortSpace.RELIABLE);
    }

    CmPair(CmPortSpace space) {
        listener = channel.createId(space);
        active = channel.createId(space);
        listener.bind(new InetSocketAddress(address(), 0));
        listener.listen(4);
    }

    /** The address under which the connection manager finds the device that is tested. */
    public static InetAddress address() {
        return Found.ADDRESS;
    }

    /** The device that is tested, as the connection manager has it; all its connections share the object. */
    public static DeviceContext device() {
        try (CmEventChannel channel = CmEventChannel.create(); CmId id = channel.createId()) {
            id.bind(new InetSocketAddress(address(), 0));
            return id.device();
        }
    }

    private static final class Found {
        static final InetAddress ADDRESS = find();

        private static InetAddress find() {
            try {
                List<InetAddress> addresses = NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .sorted(Comparator.comparing(address -> address instanceof Inet6Address)).toList();
                return addresses.stream().filter(Found::leadsToTheDevice).findFirst()
                        .orElseThrow(() -> new IllegalStateException("rdma_cm leads none of " + addresses
                                + " to device=" + TestedDevice.name()
                                + ": give its network interface an address, and no"
                                + " other RDMA device"));
            } catch (SocketException failed) {
                throw new AssertionError(failed);
            }
        }

        private static boolean leadsToTheDevice(InetAddress address) {
            try (CmEventChannel channel = CmEventChannel.create(); CmId id = channel.createId()) {
                id.bind(new InetSocketAddress(address, 0));
                return id.device().name().equals(TestedDevice.name());
            } catch (VerbsException | IllegalStateException noDevice) {
                return false;
            }
        }
    }

    /** The next event, which must be that. */
    public CmEvent expect(CmEventType type, CmId id) {
        CmEvent event = next(channel);
        assertEquals(type, event.type(), event::problem);
        if (id != null) {
            assertEquals(id, event.id());
        }
        return event;
    }

    static CmEvent next(CmEventChannel channel) {
        CmEvent event = null;
        long start = System.nanoTime();
        while (event == null && System.nanoTime() - start < HANG_NS) {
            event = channel.await(HANG_NS);
        }
        assertNotNull(event, "no event");
        return event;
    }

    public void resolve() {
        active.resolveAddress(listener.localAddress(), HANG_NS);
        expect(CmEventType.ADDRESS_RESOLVED, active);
        active.resolveRoute(HANG_NS);
        expect(CmEventType.ROUTE_RESOLVED, active);
        resources = new Resources(active.device(),
                active.portSpace() == CmPortSpace.DATAGRAM ? QueuePairType.UNRELIABLE_DATAGRAM
                        : QueuePairType.RELIABLE_CONNECTED);
    }

    /** Asks; the queue pair is the active end's. */
    CmEvent request(ConnectionParameters parameters) {
        active.connect(parameters);
        CmEvent request = expect(CmEventType.CONNECT_REQUEST, null);
        assertEquals(listener, request.listener());
        assertNull(request.problem());
        passive = request.id();
        return request;
    }

    /** Of both ends, in either order; the connecting side's is returned. */
    CmEvent established() {
        CmEvent first = expect(CmEventType.ESTABLISHED, null);
        CmEvent second = expect(CmEventType.ESTABLISHED, null);
        assertNotEquals(first.id(), second.id());
        return first.id() == active ? first : second;
    }

    @Override
    public void close() {
        if (passive != null) {
            passive.close();
        }
        active.close();
        listener.close();
        if (resources != null) {
            resources.close();
        }
        channel.close();
    }
}
