package dev.verbena.verbs.cm;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.abi.rdma_cm_event;
import dev.verbena.verbs.abi.rdma_event_channel;
import dev.verbena.verbs.ffi.Availability;
import dev.verbena.verbs.ffi.LibC;
import dev.verbena.verbs.ffi.LibRdmacm;
import dev.verbena.verbs.ffi.Lifetime;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.Waiter;
import dev.verbena.verbs.library.NativeLibrary;

/**
 * Where the connection manager reports what happens to the connections that were made on it.
 *
 * <p>Somebody must wait on it: part of connecting, such as moving the queue pair to READY_TO_SEND, is done while an event
 * is taken. {@link CmConnection} and {@link CmListener} do that where one thread serves one connection.
 *
 * <p><b>Owner:</b> whoever created it, to be closed after its connections. <b>Threading:</b> thread-safe.
 *
 * <p>Source: rdma_cm(7), rdma_create_event_channel(3), rdma_get_cm_event(3).
 */
public final class CmEventChannel implements AutoCloseable {
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final String VERB = "rdma_create_event_channel";

    private final Lifetime lifetime;
    private final MemorySegment channel;
    private final Waiter waiter;
    /** By their native addresses; guarded by librdmacm's lock. */
    private final Map<Long, CmId> ids = new HashMap<>();

    private CmEventChannel(MemorySegment channel, Waiter waiter) {
        this.lifetime = new Lifetime("connection manager's channel " + NUMBERS.incrementAndGet(), this::destroy);
        this.channel = channel;
        this.waiter = waiter;
    }

    /**
     * Creates one.
     *
     * @throws IllegalStateException if librdmacm cannot be called on this machine
     * @throws VerbsException if the kernel has no connection manager for programs
     */
    public static CmEventChannel create() {
        String problem = unavailableReason();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        // First: what it says while there are too many open files must leave nothing.
        int wakeFd = LibC.eventfd();
        try {
            MemorySegment channel = NativeCall.pointer(VERB, () -> "device=/dev/infiniband/rdma_cm",
                    capture -> (MemorySegment) LibRdmacm.CreateEventChannel.HANDLE.invokeExact(capture))
                    .reinterpret(rdma_event_channel.sizeof());
            return new CmEventChannel(channel, new Waiter(rdma_event_channel.fd(channel), wakeFd));
        } catch (VerbsException failed) {
            LibC.close(wakeFd);
            throw new VerbsException(VERB, "device=/dev/infiniband/rdma_cm", failed.errno(),
                    "load the kernel's connection manager (modprobe rdma_ucm) and let this user read and write that file;"
                            + " a container must be given it");
        }
    }

    /** Null, or one sentence that says why the connection manager's library cannot be called and what to do. */
    public static String unavailableReason() {
        String problem = Availability.problem();
        return problem != null ? problem : NativeLibrary.RDMACM.problem(LibRdmacm.Symbols.REQUIRED);
    }

    /** A reliable connection to be: to listen for others, or to connect to one. */
    public CmId createId() {
        return createId(CmPortSpace.RELIABLE);
    }

    /** The same for what the space says. */
    public CmId createId(CmPortSpace space) {
        return lifetime.whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment id = arena.allocate(ValueLayout.ADDRESS);
                synchronized (LibRdmacm.LOCK) {
                    NativeCall.status("rdma_create_id", this::toString,
                            capture -> (int) LibRdmacm.CreateId.HANDLE.invokeExact(capture, channel, id,
                                    MemorySegment.NULL,
                                    space.code()));
                    return new CmId(this, id.get(ValueLayout.ADDRESS, 0));
                }
            }
        });
    }

    /**
     * Waits for an event.
     *
     * @param timeoutNs 0 to take what is there
     * @return the event, or null when time is up, after {@link #wake()}, or for no reason
     */
    public CmEvent await(long timeoutNs) {
        return lifetime.whileOpen(() -> {
            CmEvent event = take();
            if (event == null && timeoutNs > 0) {
                waiter.await(timeoutNs);
                event = take();
            }
            return event;
        });
    }

    /** Ends a present {@link #await}, or else the next one. */
    public void wake() {
        lifetime.whileOpen(() -> {
            waiter.wake();
            return null;
        });
    }

    /**
     * A descriptor for epoll(7) and event loops, readable while there are events: call {@link #await} with 0 then, until it
     * returns null. It is the channel's, non-blocking, and ends with it: neither read nor close it.
     */
    public int fileDescriptor() {
        return lifetime.whileOpen(waiter::fd);
    }

    /** Acknowledges at once: destroying a connection waits for the acknowledgement of each event of it that was taken. */
    private CmEvent take() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
            synchronized (LibRdmacm.LOCK) {
                int errno = NativeCall.errnoOf(
                        capture -> (int) LibRdmacm.GetEvent.HANDLE.invokeExact(capture, channel, pointer));
                if (errno == EAGAIN() || errno == EINTR()) {
                    return null;
                }
                NativeCall.check("rdma_get_cm_event", this::toString, errno);
                MemorySegment event = pointer.get(ValueLayout.ADDRESS, 0).reinterpret(rdma_cm_event.sizeof());
                try {
                    return read(event);
                } finally {
                    rdma_ack_cm_event(event);
                }
            }
        }
    }

    private CmEvent read(MemorySegment event) {
        if (rdma_cm_event.event(event) == RDMA_CM_EVENT_CONNECT_REQUEST()) {
            CmId listener = ids.get(rdma_cm_event.listen_id(event).address());
            return CmEvent.of(event, new CmId(this, rdma_cm_event.id(event)), listener);
        }
        CmEvent taken = CmEvent.of(event, ids.get(rdma_cm_event.id(event).address()), null);
        taken.id().happened(taken.type());
        return taken;
    }

    /** Called with librdmacm's lock. */
    void add(long address, CmId id) {
        ids.put(address, id);
    }

    /** Called with librdmacm's lock. */
    void remove(long address) {
        ids.remove(address);
    }

    /** Its connections end before it. */
    Lifetime lifetime() {
        return lifetime;
    }

    /** Only while it is open. */
    MemorySegment pointer() {
        return channel;
    }

    private void destroy() {
        rdma_destroy_event_channel(channel);
        waiter.close();
    }

    /** Whether it can be used. */
    public boolean isOpen() {
        return lifetime.isOpen();
    }

    /**
     * Destroys it. Idempotent.
     *
     * @throws IllegalStateException if a connection still depends on it; the message names what, and it stays open
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
