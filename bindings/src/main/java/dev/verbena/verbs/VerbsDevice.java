package dev.verbena.verbs;

import java.util.List;
import java.util.function.Function;
import dev.verbena.verbs.ffi.Availability;

/**
 * An RDMA device of this machine, as it was when it was listed.
 *
 * <p><b>Owner:</b> none, it holds nothing open. <b>Threading:</b> immutable.
 *
 * @param name as {@code ibv_devinfo} shows it, for instance rxe0 or mlx5_0
 * @param nodeType what it is in its network
 * @param transport what it speaks
 * @param guid its name in the whole world
 */
public record VerbsDevice(String name, NodeType nodeType, TransportType transport, Guid guid) {
    /**
     * The devices of this machine, none where {@link Verbs#unavailableReason()} has a reason.
     *
     * @throws VerbsException where the kernel has RDMA and yet refuses the list
     */
    public static List<VerbsDevice> list() {
        if (Availability.problem() != null) {
            return List.of();
        }
        try (DeviceList devices = DeviceList.open()) {
            return devices.all();
        }
    }

    /**
     * Opens the device, asks it for its attributes and its ports, and closes it.
     *
     * @throws VerbsException where the device is gone, or this process may not open it, or it refuses
     */
    public DeviceAttributes query() {
        return ask(DeviceContext::query);
    }

    /**
     * Opens the device, sees what drives it, and closes it.
     *
     * @throws VerbsException where the device is gone, or this process may not open it
     */
    public Provider provider() {
        return ask(DeviceContext::provider);
    }

    private <T> T ask(Function<DeviceContext, T> question) {
        String problem = Availability.problem();
        if (problem != null) {
            throw new IllegalStateException(problem);
        }
        try (DeviceContext context = DeviceContext.open(name)) {
            return question.apply(context);
        }
    }
}
