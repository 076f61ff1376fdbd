package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.verbs.abi.ibv_device;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.LibIbverbs;

/**
 * libibverbs' list of devices: an array of pointers that dies, with the devices that nobody opened, when it is closed.
 *
 * <p><b>Owner:</b> whoever opened it. <b>Threading:</b> confined to its owner. Source: ibv_get_device_list(3).
 */
final class DeviceList implements AutoCloseable {
    private static final String VERB = "ibv_get_device_list";
    private static final String NO_KERNEL_SUPPORT = "This machine's kernel has no RDMA support loaded: load the driver of your adapter, or"
            + " modprobe rdma_rxe ib_uverbs for soft-RoCE, or use the fabric shm.";
    private static final String NO_DEVICE = "This machine's kernel supports RDMA and has no RDMA device: plug one in and load its driver, or"
            + " make a software one (rdma link add rxe0 type rxe netdev INTERFACE), or use the fabric shm.";

    private final Arena arena;
    private final MemorySegment[] devices;
    private final String absence;

    private DeviceList(Arena arena, MemorySegment[] devices, String absence) {
        this.arena = arena;
        this.devices = devices;
        this.absence = absence;
    }

    /** A kernel without RDMA is an expected outcome: an empty list with a reason. */
    static DeviceList open() {
        Arena arena = Arena.ofConfined();
        try {
            MemorySegment count = arena.allocate(C_INT);
            MemorySegment list = NativeCall.pointer(VERB, () -> "devices=all",
                    capture -> (MemorySegment) LibIbverbs.GetDeviceList.HANDLE.invokeExact(capture, count));
            int size = count.get(C_INT, 0);
            MemorySegment pointers = list.reinterpret(size * ValueLayout.ADDRESS.byteSize(), arena,
                    l -> ibv_free_device_list(l));
            MemorySegment[] devices = new MemorySegment[size];
            for (int i = 0; i < size; i++) {
                devices[i] = pointers.getAtIndex(ValueLayout.ADDRESS, i).reinterpret(ibv_device.sizeof(), arena, null);
            }
            return new DeviceList(arena, devices, size == 0 ? NO_DEVICE : null);
        } catch (Throwable failed) {
            if (failed instanceof VerbsException verbs && verbs.errno() == ENOSYS()) {
                return new DeviceList(arena, new MemorySegment[0], NO_KERNEL_SUPPORT);
            }
            arena.close();
            throw failed;
        }
    }

    /** Null, or one sentence that says why there is none. */
    String absence() {
        return absence;
    }

    List<VerbsDevice> all() {
        List<VerbsDevice> all = new ArrayList<>();
        for (MemorySegment device : devices) {
            all.add(new VerbsDevice(name(device), NodeType.of(ibv_device.node_type(device)),
                    TransportType.of(ibv_device.transport_type(device)),
                    DeviceAttributes.guid(ibv_get_device_guid(device))));
        }
        return List.copyOf(all);
    }

    MemorySegment require(String name) {
        for (MemorySegment device : devices) {
            if (name(device).equals(name)) {
                return device;
            }
        }
        throw new VerbsException(VERB, "device=" + name, ENODEV(), "it is not among the devices now; list them again");
    }

    private static String name(MemorySegment device) {
        return ibv_get_device_name(device).getString(0);
    }

    @Override
    public void close() {
        arena.close();
    }
}
