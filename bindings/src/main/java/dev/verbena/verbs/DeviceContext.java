package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;

import dev.verbena.verbs.abi.ibv_ah_attr;
import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_device;
import dev.verbena.verbs.abi.ibv_device_attr;
import dev.verbena.verbs.abi.ibv_device_attr_ex;
import dev.verbena.verbs.abi.ibv_gid_entry;
import dev.verbena.verbs.abi.ibv_grh;
import dev.verbena.verbs.abi.ibv_port_attr;
import dev.verbena.verbs.ffi.DataPath;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.InlineVerbs;
import dev.verbena.verbs.ffi.LibC;
import dev.verbena.verbs.ffi.LibIbverbs;
import dev.verbena.verbs.ffi.Availability;

/**
 * An opened RDMA device; everything else is made from it.
 *
 * <p><b>Owner:</b> whoever opened it, to be closed after all that was made from it; the one of a connection
 * manager's {@link dev.verbena.verbs.cm.CmId} need not be
 * closed, as the connection manager keeps the device open. <b>Threading:</b> thread-safe.
 *
 * <p>Source: ibv_open_device(3), ibv_query_device(3), ibv_query_port(3).
 */
public final class DeviceContext extends VerbsObject {
    private static final ValueLayout.OfShort BIG_ENDIAN_SHORT = ValueLayout.JAVA_SHORT
            .withOrder(ByteOrder.BIG_ENDIAN);

    private final String name;
    private final MemorySegment context;
    private final TransportType transport;
    private final Provider provider;
    private final DataPath dataPath;
    private final AsyncEvents events;
    /** How it ends. */
    private final Consumer<DeviceContext> closing;

    DeviceContext(String name, MemorySegment context, Provider provider) {
        this(name, context, provider, DeviceContext::closeDevice);
    }

    private DeviceContext(String name, MemorySegment context, Provider provider, Consumer<DeviceContext> closing) {
        super("device " + name);
        this.name = name;
        this.context = context;
        this.transport = TransportType
                .of(ibv_device.transport_type(ibv_context.device(context).reinterpret(ibv_device.sizeof())));
        this.provider = provider;
        this.dataPath = provider.dataPath();
        this.events = new AsyncEvents(this);
        this.closing = closing;
    }

    /**
     * Opens the device of that name.
     *
     * @throws IllegalStateException if verbs cannot be called on this machine at all
     * @throws VerbsException if there is no such device or this process may not open it
     */
    public static DeviceContext open(String name) {
        String problem = Availability.problem();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        // The list may be freed once the device is open: libibverbs counts its users.
        try (DeviceList devices = DeviceList.open()) {
            MemorySegment device = devices.require(name);
            MemorySegment context = NativeCall.pointer("ibv_open_device", () -> "device=" + name,
                    capture -> (MemorySegment) LibIbverbs.OpenDevice.HANDLE.invokeExact(capture, device))
                    .reinterpret(ibv_context.sizeof());
            return new DeviceContext(name, context, Provider.of(context));
        }
    }

    /**
     * What another opening of a device is, once more: of another process, to share its protection domains and memory
     * regions.
     *
     * @param commandFd a descriptor of this process for what {@link #exportDescriptor} gave there: inherited, or sent over
     *            a Unix socket; the context closes it, unless this call fails
     * @throws VerbsException EOPNOTSUPP where the device's provider cannot, as soft-RoCE
     */
    public static DeviceContext importFrom(int commandFd) {
        String problem = Availability.problem();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        MemorySegment context = NativeCall.pointer("ibv_import_device", () -> "commandFd=" + commandFd,
                capture -> (MemorySegment) LibIbverbs.ImportDevice.HANDLE.invokeExact(capture, commandFd))
                .reinterpret(ibv_context.sizeof());
        String name = ibv_get_device_name(ibv_context.device(context)).getString(0);
        return new DeviceContext(name, context, Provider.of(context));
    }

    /** One that librdmacm opened and keeps open. */
    static DeviceContext borrow(MemorySegment pointer, Runnable closing) {
        MemorySegment context = pointer.reinterpret(ibv_context.sizeof());
        String name = ibv_get_device_name(ibv_context.device(context)).getString(0);
        return new DeviceContext(name, context, Provider.of(context), self -> closing.run());
    }

    /** The kernel's own for the device, {@code mlx5_0} or {@code rxe0} for instance; what {@link #open} takes. */
    public String name() {
        return name;
    }

    /** What it speaks. */
    public TransportType transport() {
        return transport;
    }

    /** What the device and its ports are and can do now. */
    public DeviceAttributes query() {
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                return query(arena);
            }
        });
    }

    private DeviceAttributes query(Arena arena) {
        MemorySegment attributes = ibv_device_attr.allocate(arena);
        NativeCall.check("ibv_query_device", this::on, ibv_query_device(context, attributes));
        int portCount = Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(attributes));
        MemorySegment[] portAttributes = new MemorySegment[portCount + 1];
        long gidCountMax = 0;
        for (int number = 1; number <= portCount; number++) {
            portAttributes[number] = port(number, arena);
            gidCountMax += ibv_port_attr.gid_tbl_len(portAttributes[number]);
        }
        MemorySegment entries = gidTable(gidCountMax, arena);
        List<Port> ports = new ArrayList<>();
        for (int number = 1; number <= portCount; number++) {
            ports.add(Port.of(number, portAttributes[number], gids(entries, number)));
        }
        return DeviceAttributes.of(attributes, ports);
    }

    /** What a newer kernel says of it besides. */
    public ExtendedDeviceAttributes queryExtended() {
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_device_attr_ex.allocate(arena);
                NativeCall.check("ibv_query_device_ex", this::on,
                        InlineVerbs.queryExtendedDevice(context, attributes));
                return ExtendedDeviceAttributes.of(attributes);
            }
        });
    }

    /** The partition key at the index of a port's table; 16 bits, the highest of which says full member. */
    public int partitionKey(int port, int index) {
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment key = arena.allocate(BIG_ENDIAN_SHORT);
                NativeCall.status("ibv_query_pkey", () -> on() + ", port=" + port + ", index=" + index,
                        capture -> (int) LibIbverbs.QueryPkey.HANDLE.invokeExact(capture, context, (byte) port, index,
                                key));
                return Short.toUnsignedInt(key.get(BIG_ENDIAN_SHORT, 0));
            }
        });
    }

    /** Where a partition key stands in a port's table; empty if it does not. */
    public OptionalInt partitionKeyIndex(int port, int key) {
        int index = whileOpen(() -> ibv_get_pkey_index(context, (byte) port, Short.reverseBytes((short) key)));
        return index < 0 ? OptionalInt.empty() : OptionalInt.of(index);
    }

    private MemorySegment port(int number, Arena arena) {
        MemorySegment attributes = ibv_port_attr.allocate(arena);
        NativeCall.check("ibv_query_port", () -> on() + ", port=" + number,
                InlineVerbs.queryPort(context, number, attributes));
        return attributes;
    }

    /**
     * The entries in use of all ports; the kernel refuses a table that is too small for them, so it must hold every
     * entry there could be.
     */
    private MemorySegment gidTable(long countMax, Arena arena) {
        if (countMax == 0) {
            return MemorySegment.NULL;
        }
        MemorySegment entries = ibv_gid_entry.allocateArray(countMax, arena);
        long count = _ibv_query_gid_table(context, entries, countMax, 0, ibv_gid_entry.sizeof());
        NativeCall.check("ibv_query_gid_table", this::on, count < 0 ? (int) -count : 0);
        return entries.asSlice(0, count * ibv_gid_entry.sizeof());
    }

    private static List<GidEntry> gids(MemorySegment entries, int port) {
        return entries.elements(ibv_gid_entry.layout()).filter(entry -> ibv_gid_entry.port_num(entry) == port)
                .map(GidEntry::of).toList();
    }

    /** A protection domain: what is created in one works together, and with nothing else. */
    public ProtectionDomain allocateProtectionDomain() {
        return whileOpen(() -> ProtectionDomain.allocate(this));
    }

    /** See {@link ProtectionDomain#allocateParentDomain}. */
    public ThreadDomain allocateThreadDomain() {
        return whileOpen(() -> ThreadDomain.allocate(this));
    }

    /**
     * A protection domain of another opening of the same device, whose context was {@linkplain #importFrom imported}; when
     * it is closed it goes on there.
     *
     * @param handle that {@link ProtectionDomain#handle} gave there
     * @throws VerbsException EOPNOTSUPP where the device's provider cannot
     */
    public ProtectionDomain importProtectionDomain(int handle) {
        return whileOpen(() -> ProtectionDomain.importFrom(this, handle));
    }

    /** A new descriptor, to be closed by whoever gets it or imports it: see {@link #importFrom}. */
    public int exportDescriptor() {
        return whileOpen(() -> LibC.duplicate(ibv_context.cmd_fd(context)));
    }

    /** A channel on which completion queues report events. */
    public CompletionChannel createCompletionChannel() {
        return whileOpen(() -> CompletionChannel.create(this));
    }

    /** A completion queue with room for at least {@code countMax} completions, to be polled. */
    public CompletionQueue createCompletionQueue(int countMax) {
        return whileOpen(() -> CompletionQueue.create(this, countMax, null, 0));
    }

    /**
     * One that reports events on the channel.
     *
     * @param vector which of the device's completion vectors (interrupts) signals; from 0
     */
    public CompletionQueue createCompletionQueue(int countMax, CompletionChannel channel, int vector) {
        requireOwn(channel.context(), channel);
        return whileOpen(() -> channel.whileOpen(() -> CompletionQueue.create(this, countMax, channel, vector)));
    }

    /** A completion queue to be read completion by completion, with no more than these fields of each. */
    public ExtendedCompletionQueue createExtendedCompletionQueue(int countMax, Set<CompletionField> fields) {
        return whileOpen(() -> ExtendedCompletionQueue.create(this, countMax, fields, null, 0));
    }

    /** One that reports events on the channel. */
    public ExtendedCompletionQueue createExtendedCompletionQueue(int countMax, Set<CompletionField> fields,
            CompletionChannel channel, int vector) {
        requireOwn(channel.context(), channel);
        return whileOpen(() -> channel
                .whileOpen(() -> ExtendedCompletionQueue.create(this, countMax, fields, channel, vector)));
    }

    /**
     * The way back to the sender of a datagram; its number stands in the completion.
     *
     * @param port that the datagram came in by
     * @param header the first 40 bytes of what was received, the global routing header
     * @throws VerbsException if the header names no address of this port
     */
    public AddressVector senderOf(WorkCompletions completions, int index, int port, MemorySegment header) {
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment copy = arena.allocate(ibv_grh.layout());
                MemorySegment.copy(header, 0, copy, 0, copy.byteSize());
                MemorySegment attributes = ibv_ah_attr.allocate(arena);
                NativeCall.status("ibv_init_ah_from_wc", () -> on() + ", port=" + port,
                        capture -> (int) LibIbverbs.InitAhFromWc.HANDLE.invokeExact(capture, context, (byte) port,
                                completions.entry(index), copy, attributes));
                return AddressVector.read(attributes);
            }
        });
    }

    /**
     * Waits for something that happens outside any completion, and acknowledges it.
     *
     * @param timeoutNs 0 to take what is there
     * @return null when time is up, after {@link #wakeEventWaiter()}, or for no reason
     */
    public AsyncEvent awaitEvent(long timeoutNs) {
        return whileOpen(() -> events.await(timeoutNs));
    }

    /**
     * A descriptor for epoll(7) and event loops, readable while there are asynchronous events: call {@link #awaitEvent} with
     * 0 then, until it returns null. It is the device context's, non-blocking from now on, and ends with it: neither read
     * nor close it.
     */
    public int eventFileDescriptor() {
        return whileOpen(events::fd);
    }

    /** Ends a present {@link #awaitEvent}, or else the next one. */
    public void wakeEventWaiter() {
        runWhileOpen(events::wake);
    }

    /** @throws IllegalArgumentException if the object was made from another device context */
    void requireOwn(DeviceContext other, VerbsObject object) {
        if (other != this) {
            throw new IllegalArgumentException(object + " belongs to another opening of a device than " + this
                    + "; make both from one DeviceContext");
        }
    }

    /** Only within {@link #whileOpen}. */
    MemorySegment pointer() {
        return context;
    }

    AsyncEvents events() {
        return events;
    }

    Provider provider() {
        return provider;
    }

    DataPath dataPath() {
        return dataPath;
    }

    /** Whether the kernel knows the states of its queue pairs; siw leaves that field of its answer as it was. */
    boolean tellsQueuePairStates() {
        return transport != TransportType.IWARP || !provider.isSoftware();
    }

    String on() {
        return "device=" + name;
    }

    @Override
    void destroy() {
        closing.accept(this);
        events.close();
    }

    private void closeDevice() {
        NativeCall.status("ibv_close_device", this::on,
                capture -> (int) LibIbverbs.CloseDevice.HANDLE.invokeExact(capture, context));
    }
}
