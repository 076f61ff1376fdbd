package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_device_attr;
import dev.verbena.verbs.abi.ibv_gid_entry;
import dev.verbena.verbs.abi.ibv_port_attr;

/**
 * An opened RDMA device.
 *
 * <p><b>Owner:</b> whoever opened it. <b>Threading:</b> confined to its owner. Source: ibv_open_device(3),
 * ibv_query_device(3).
 */
final class DeviceContext implements AutoCloseable {
    private final String name;
    private final Arena arena;
    private final MemorySegment context;

    private DeviceContext(String name, Arena arena, MemorySegment context) {
        this.name = name;
        this.arena = arena;
        this.context = context;
    }

    /** The list may be freed once the device is open: libibverbs counts its users. */
    static DeviceContext open(String name) {
        Arena arena = Arena.ofConfined();
        try (DeviceList devices = DeviceList.open()) {
            MemorySegment capture = LibIbverbs.capture(arena);
            MemorySegment context = LibIbverbs.openDevice(capture, devices.require(name));
            if (context.equals(MemorySegment.NULL)) {
                throw new VerbsException("ibv_open_device", "device=" + name, LibIbverbs.errno(capture), null);
            }
            return new DeviceContext(name, arena, context.reinterpret(ibv_context.sizeof(), arena, null));
        } catch (Throwable failed) {
            arena.close();
            throw failed;
        }
    }

    DeviceAttributes query() {
        MemorySegment attributes = ibv_device_attr.allocate(arena);
        check("ibv_query_device", on(), ibv_query_device(context, attributes));
        int portCount = Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(attributes));
        MemorySegment[] portAttributes = new MemorySegment[portCount + 1];
        long gidCountMax = 0;
        for (int number = 1; number <= portCount; number++) {
            portAttributes[number] = port(number);
            gidCountMax += ibv_port_attr.gid_tbl_len(portAttributes[number]);
        }
        MemorySegment entries = gidTable(gidCountMax);
        List<Port> ports = new ArrayList<>();
        for (int number = 1; number <= portCount; number++) {
            ports.add(Port.of(number, portAttributes[number], gids(entries, number)));
        }
        return DeviceAttributes.of(attributes, ports);
    }

    private MemorySegment port(int number) {
        MemorySegment attributes = ibv_port_attr.allocate(arena);
        check("ibv_query_port", on() + ", port=" + number, InlineVerbs.queryPort(context, number, attributes));
        return attributes;
    }

    /**
     * The entries in use of all ports; the kernel refuses a table that is too small for them, so it must hold every
     * entry there could be.
     */
    private MemorySegment gidTable(long countMax) {
        if (countMax == 0) {
            return MemorySegment.NULL;
        }
        MemorySegment entries = ibv_gid_entry.allocateArray(countMax, arena);
        long count = _ibv_query_gid_table(context, entries, countMax, 0, ibv_gid_entry.sizeof());
        check("ibv_query_gid_table", on(), count < 0 ? (int) -count : 0);
        return entries.asSlice(0, count * ibv_gid_entry.sizeof());
    }

    private static List<Gid> gids(MemorySegment entries, int port) {
        return entries.elements(ibv_gid_entry.layout()).filter(entry -> ibv_gid_entry.port_num(entry) == port)
                .map(Gid::of).toList();
    }

    /** For verbs that return their errno. */
    private static void check(String verb, String on, int errno) {
        if (errno != 0) {
            throw new VerbsException(verb, on, Math.abs(errno), null);
        }
    }

    private String on() {
        return "device=" + name;
    }

    /** The arena first: from then on a stale use of the context is caught by FFM instead of reaching freed memory. */
    @Override
    public void close() {
        long address = context.address();
        arena.close();
        try (Arena last = Arena.ofConfined()) {
            MemorySegment capture = LibIbverbs.capture(last);
            if (LibIbverbs.closeDevice(capture, MemorySegment.ofAddress(address)) != 0) {
                throw new VerbsException("ibv_close_device", on(), LibIbverbs.errno(capture), null);
            }
        }
    }
}
