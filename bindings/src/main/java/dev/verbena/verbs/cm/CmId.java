package dev.verbena.verbs.cm;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.QueuePairOptions;
import dev.verbena.verbs.QueuePairState;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.abi.ibv_qp;
import dev.verbena.verbs.abi.rdma_addr;
import dev.verbena.verbs.abi.rdma_cm_id;
import dev.verbena.verbs.abi.rdma_route;
import dev.verbena.verbs.bridge.QueuePairMaker;
import dev.verbena.verbs.bridge.VerbsAccess;
import dev.verbena.verbs.ffi.LibRdmacm;
import dev.verbena.verbs.ffi.Lifetime;
import dev.verbena.verbs.ffi.NativeCall;

/**
 * One side of a connection, or one that listens: what a socket is to TCP, named by IP addresses and ports.
 *
 * <p>No method waits for the peer: what becomes of it comes as an event of the channel.
 *
 * <pre>
 *   connecting side                                          accepting side
 *   bind (optional)                                          bind, listen
 *   resolveAddress      → ADDRESS_RESOLVED
 *   resolveRoute        → ROUTE_RESOLVED
 *   createQueuePair
 *   connect             ── private data, 56 bytes ───→       CONNECT_REQUEST with a new connection
 *                                                            createQueuePair, post receives
 *   ESTABLISHED         ←── private data, 196 bytes ──       accept → ESTABLISHED
 *   or REJECTED         ←── private data, 148 bytes ──       or reject
 *   disconnect or DISCONNECTED ←─────────────────────→       disconnect or DISCONNECTED
 *   close the queue pair, close                              close the queue pair, close
 * </pre>
 *
 * <p>Of datagrams ({@link CmPortSpace#DATAGRAM}) there is no connection: accepting ends the passive side's part,
 * ESTABLISHED tells the active side where to send, and nothing is disconnected. A multicast group is joined from ADDRESS_RESOLVED
 * on, or when an address of a device is bound.
 *
 * <p><b>Owner:</b> whoever created it, or took the event with it, to be closed after its queue pair. <b>Threading:</b>
 * thread-safe.
 *
 * <p>Source: rdma_cm(7) and the manual pages of rdma_create_id, rdma_bind_addr, rdma_resolve_addr, rdma_resolve_route,
 * rdma_listen, rdma_connect, rdma_accept, rdma_reject, rdma_disconnect, rdma_migrate_id, rdma_join_multicast_ex,
 * rdma_leave_multicast (3).
 */
public final class CmId implements AutoCloseable {
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Lifetime lifetime;
    private final MemorySegment id;
    private final CmPortSpace portSpace;
    /** Guarded by librdmacm's lock. */
    private CmEventChannel channel;
    private final CmGroups groups;
    /** That the parameters named, made by its protection domain; 0 for none. Guarded by librdmacm's lock. */
    private int ownQueuePairNumber;

    /** Called with librdmacm's lock, while the channel is open. */
    CmId(CmEventChannel channel, MemorySegment id) {
        this.lifetime = new Lifetime("connection " + NUMBERS.incrementAndGet(), this::destroy, channel.lifetime());
        this.channel = channel;
        this.id = id.reinterpret(rdma_cm_id.sizeof());
        this.portSpace = CmPortSpace.of(rdma_cm_id.ps(this.id));
        this.groups = new CmGroups(this, this.id);
        channel.add(id.address(), this);
    }

    /** Takes a local address; a wildcard means all devices, port 0 any free port. Events: none. */
    public void bind(InetSocketAddress local) {
        call(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment address = SocketAddress.write(local, arena);
                return NativeCall.status("rdma_bind_addr", () -> this + ", local=" + local,
                        capture -> (int) LibRdmacm.BindAddress.HANDLE.invokeExact(capture, id, address));
            }
        });
    }

    /** Finds the device and the local address that lead to the peer. Events: ADDRESS_RESOLVED or ADDRESS_ERROR. */
    public void resolveAddress(InetSocketAddress remote, long timeoutNs) {
        resolveAddress(null, remote, timeoutNs);
    }

    /** The same from the local address, which may be null. */
    public void resolveAddress(InetSocketAddress local, InetSocketAddress remote, long timeoutNs) {
        call(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment source = SocketAddress.write(local, arena);
                MemorySegment destination = SocketAddress.write(remote, arena);
                return NativeCall.status("rdma_resolve_addr", () -> this + ", local=" + local + ", remote=" + remote,
                        capture -> (int) LibRdmacm.ResolveAddress.HANDLE.invokeExact(capture, id, source, destination,
                                milliseconds(timeoutNs)));
            }
        });
    }

    /** Finds the way to the peer. Events: ROUTE_RESOLVED or ROUTE_ERROR. */
    public void resolveRoute(long timeoutNs) {
        call(() -> {
            requireDevice();
            return NativeCall.status("rdma_resolve_route", this::on,
                    capture -> (int) LibRdmacm.ResolveRoute.HANDLE.invokeExact(capture, id, milliseconds(timeoutNs)));
        });
    }

    /**
     * Listens at the bound address. Events: a CONNECT_REQUEST per peer, whose connection the taker must close.
     *
     * @param backlog requests that may wait to be taken
     */
    public void listen(int backlog) {
        call(() -> NativeCall.status("rdma_listen", () -> on() + ", backlog=" + backlog,
                capture -> (int) LibRdmacm.Listen.HANDLE.invokeExact(capture, id, backlog)));
    }

    /**
     * Makes the queue pair of this connection, in state INIT: receives may be posted. The connection manager moves it to
     * the states that follow.
     *
     * @param domain made from {@link #device()}
     * @throws IllegalArgumentException if it is not, or what the options name is not
     */
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options) {
        return call(() -> VerbsAccess.get().createQueuePair(device(), domain, options, new Maker()));
    }

    /**
     * Asks the peer for a connection, or where its datagrams are to go. Events: ESTABLISHED, REJECTED, UNREACHABLE or
     * CONNECT_ERROR; or CONNECT_RESPONSE.
     *
     * @throws VerbsException ECONNREFUSED where nobody listens, on an iWARP device that waits for TCP's answer
     */
    public void connect(ConnectionParameters parameters) {
        withParameters("rdma_connect", LibRdmacm.Connect.HANDLE, parameters, portSpace.connectPrivateByteSizeMax());
    }

    /** Grants the peer's request that brought this connection. Events: ESTABLISHED; of datagrams none. */
    public void accept(ConnectionParameters parameters) {
        withParameters("rdma_accept", LibRdmacm.Accept.HANDLE, parameters, portSpace.acceptPrivateByteSizeMax());
    }

    /** Refuses it. Events: none. */
    public void reject(byte[] privateData) {
        call(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment data = ConnectionParameters.privateData(privateData,
                        portSpace.rejectPrivateByteSizeMax(), arena);
                return NativeCall.status("rdma_reject", this::on,
                        capture -> (int) LibRdmacm.Reject.HANDLE.invokeExact(capture, id, data,
                                (byte) privateData.length));
            }
        });
    }

    /**
     * Tells the peer, after a CONNECT_RESPONSE, that the queue pair is ready; only for one that is not of this
     * connection. Events: none here, ESTABLISHED there.
     */
    public void establish() {
        call(() -> {
            requireReliable("establish");
            requireDevice();
            return NativeCall.status("rdma_establish", this::on,
                    capture -> (int) LibRdmacm.Establish.HANDLE.invokeExact(capture, id));
        });
    }

    /** Ends the connection: the queue pair goes to ERROR and is flushed. Events: DISCONNECTED on both sides. */
    public void disconnect() {
        call(() -> {
            requireReliable("disconnect");
            return NativeCall.status("rdma_disconnect", this::on,
                    capture -> (int) LibRdmacm.Disconnect.HANDLE.invokeExact(capture, id));
        });
    }

    private void requireReliable(String what) {
        if (portSpace != CmPortSpace.RELIABLE) {
            throw new IllegalStateException(this + " cannot " + what + ": datagrams have no connection; close it");
        }
    }

    /**
     * Becomes a member of the group. Of a full member the queue pair, created before, gets what is sent there; it must leave the
     * group before it is closed. Events: MULTICAST_JOIN, with the destination; or MULTICAST_ERROR.
     */
    public void joinMulticast(InetAddress group, MulticastMembership membership) {
        call(() -> {
            CmGroups.requireMulticast(group);
            requireDevice();
            groups.join(group, membership);
            return null;
        });
    }

    /** Takes it back, also while it has not yet come about. Events: none. */
    public void leaveMulticast(InetAddress group) {
        call(() -> {
            groups.leave(group);
            return null;
        });
    }

    /** Called with librdmacm's lock; by what an event carries. */
    InetAddress group(MemorySegment context) {
        return groups.get(context);
    }

    /** What it exchanges. */
    public CmPortSpace portSpace() {
        return portSpace;
    }

    /** What brings a queue pair that is not of this connection to the state; of datagrams to INIT. */
    public QueuePairAttributes attributes(QueuePairState state) {
        return call(() -> {
            requireDevice();
            return VerbsAccess.get().attributes(state, attributes -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment mask = arena.allocate(ValueLayout.JAVA_INT);
                    NativeCall.status("rdma_init_qp_attr", () -> on() + ", state=" + state,
                            capture -> (int) LibRdmacm.InitQpAttributes.HANDLE.invokeExact(capture, id, attributes,
                                    mask));
                    return mask.get(ValueLayout.JAVA_INT, 0);
                }
            });
        });
    }

    /** Makes its events, those that nobody has taken too, come on the other channel. */
    public void migrate(CmEventChannel to) {
        call(() -> to.lifetime().whileOpen(() -> {
            if (to != channel) {
                NativeCall.status("rdma_migrate_id", () -> on() + ", to=" + to,
                        capture -> (int) LibRdmacm.MigrateId.HANDLE.invokeExact(capture, id, to.pointer()));
                channel.remove(id.address());
                to.add(id.address(), this);
                lifetime.move(channel.lifetime(), to.lifetime());
                channel = to;
            }
            return null;
        }));
    }

    /** The type of service in its packets' IP header, or the traffic class; before the address is resolved. */
    public void typeOfService(int octet) {
        option("typeOfService", RDMA_OPTION_ID_TOS(), octet, Byte.BYTES);
    }

    /** Whether others may bind the same address; before binding. */
    public void reuseAddress(boolean on) {
        option("reuseAddress", RDMA_OPTION_ID_REUSEADDR(), on ? 1 : 0, Integer.BYTES);
    }

    /** Whether an IPv6 wildcard leaves IPv4 to others; before binding. */
    public void ipv6Only(boolean on) {
        option("ipv6Only", RDMA_OPTION_ID_AFONLY(), on ? 1 : 0, Integer.BYTES);
    }

    /** How long its queue pair waits for an acknowledgement: 4.096 us times 2 to this power, 0 to 31; before connecting. */
    public void acknowledgeTimeout(int exponent) {
        option("acknowledgeTimeout", RDMA_OPTION_ID_ACK_TIMEOUT(), exponent, Byte.BYTES);
    }

    private void option(String name, int option, int value, int byteSize) {
        if (byteSize == Byte.BYTES && value != (value & 0xff)) {
            throw new IllegalArgumentException(name + "=" + value + ": give 0 to 255");
        }
        call(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_INT, value);
                return NativeCall.status("rdma_set_option", () -> on() + ", " + name + "=" + value,
                        capture -> (int) LibRdmacm.SetOption.HANDLE.invokeExact(capture, id, RDMA_OPTION_ID(), option,
                                memory,
                                (long) byteSize));
            }
        });
    }

    /**
     * The device that this connection runs over: the same object for all connections over it.
     *
     * @throws IllegalStateException if it is not known yet, or there is none because it listens on all
     */
    public DeviceContext device() {
        return call(() -> CmDevices.of(requireDevice()));
    }

    /** The device's port, from 1; 0 where it is not known. */
    public int port() {
        return call(() -> Byte.toUnsignedInt(rdma_cm_id.port_num(id)));
    }

    /** Its own address and port; null where it has none, or one that is not an IP address. */
    public InetSocketAddress localAddress() {
        return call(() -> SocketAddress.read(rdma_addr.src_storage(addresses())));
    }

    /** The peer's, likewise. */
    public InetSocketAddress remoteAddress() {
        return call(() -> SocketAddress.read(rdma_addr.dst_storage(addresses())));
    }

    private MemorySegment addresses() {
        return rdma_route.addr(rdma_cm_id.route(id));
    }

    /** librdmacm looks into the device without looking whether there is one. */
    private MemorySegment requireDevice() {
        MemorySegment context = rdma_cm_id.verbs(id);
        if (context.address() == 0) {
            throw new IllegalStateException(this + " has no device yet: resolve the peer's address and wait for"
                    + " ADDRESS_RESOLVED, or bind the address of a device");
        }
        return context;
    }

    private void withParameters(String verb, MethodHandle handle, ConnectionParameters parameters, int privateMax) {
        call(() -> {
            requireDevice();
            boolean hasQueuePair = rdma_cm_id.qp(id).address() != 0;
            if (!hasQueuePair && parameters.queuePairNumber() == 0) {
                throw new IllegalStateException(this + " has no queue pair to connect: create it, or name yours in the"
                        + " parameters");
            }
            ownQueuePairNumber = hasQueuePair ? 0 : parameters.queuePairNumber();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment struct = parameters.write(arena, privateMax);
                return NativeCall.status(verb, this::on, capture -> (int) handle.invokeExact(capture, id, struct));
            }
        });
    }

    /** Called with librdmacm's lock, by the thread that takes the event. */
    void happened(CmEventType type) {
        if (type == CmEventType.ESTABLISHED) {
            reach(QueuePairState.READY_TO_SEND);
        } else if (type == CmEventType.DISCONNECTED) {
            reach(QueuePairState.ERROR);
        }
    }

    private void reach(QueuePairState state) {
        MemorySegment pair = rdma_cm_id.qp(id);
        int number = pair.address() != 0 ? ibv_qp.qp_num(pair.reinterpret(ibv_qp.sizeof())) : ownQueuePairNumber;
        if (number != 0) {
            VerbsAccess.get().reached(CmDevices.of(rdma_cm_id.verbs(id)), number, state);
        }
    }

    /** Makes and destroys its queue pair. */
    private final class Maker implements QueuePairMaker {
        @Override
        public Lifetime lifetime() {
            return lifetime;
        }

        @Override
        public MemorySegment create(MemorySegment domain, MemorySegment attributes) {
            NativeCall.status("rdma_create_qp", CmId.this::on,
                    capture -> (int) LibRdmacm.CreateQp.HANDLE.invokeExact(capture, id, domain, attributes));
            return rdma_cm_id.qp(id);
        }

        @Override
        public void destroy(Consumer<Runnable> quietly) {
            synchronized (LibRdmacm.LOCK) {
                groups.requireNoneHeard();
                quietly.accept(() -> rdma_destroy_qp(id));
            }
        }
    }

    /** With librdmacm's lock. */
    String on() {
        return this + ", local=" + SocketAddress.read(rdma_addr.src_storage(addresses())) + ", remote="
                + SocketAddress.read(rdma_addr.dst_storage(addresses()));
    }

    private <T> T call(Supplier<T> call) {
        return lifetime.whileOpen(() -> {
            synchronized (LibRdmacm.LOCK) {
                return call.get();
            }
        });
    }

    private static int milliseconds(long timeoutNs) {
        return Math.clamp(Math.ceilDiv(timeoutNs, TimeUnit.MILLISECONDS.toNanos(1)), 1, Integer.MAX_VALUE);
    }

    private void destroy() {
        synchronized (LibRdmacm.LOCK) {
            NativeCall.status("rdma_destroy_id", this::toString,
                    capture -> (int) LibRdmacm.DestroyId.HANDLE.invokeExact(capture, id));
            channel.remove(id.address());
        }
    }

    /** Whether it can be used. */
    public boolean isOpen() {
        return lifetime.isOpen();
    }

    /**
     * Destroys it. Idempotent.
     *
     * @throws IllegalStateException if its queue pair still depends on it; the message names what, and it stays open
     * @throws VerbsException if the kernel refuses; it stays open
     */
    @Override
    public void close() {
        lifetime.close();
    }

    @Override
    public String toString() {
        return lifetime.toString();
    }
}
