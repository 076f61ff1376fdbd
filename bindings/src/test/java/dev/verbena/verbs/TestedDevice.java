package dev.verbena.verbs;

import java.net.InetAddress;

import dev.verbena.verbs.cm.CmPair;

/**
 * What tests in other packages are told of the device that is tested.
 *
 * <p><b>Threading:</b> thread-safe.
 */
public final class TestedDevice {
    private TestedDevice() {}

    public static String name() {
        return TestDevice.name();
    }

    public static Driver driver() {
        return TestDevice.driver();
    }

    public static boolean has(Need need) {
        return TestDevice.has(need);
    }

    /** Under which rdma_cm finds it. */
    public static InetAddress address() {
        return CmPair.address();
    }

    /** Of the GID that its queue pairs send from when they are connected by hand. */
    public static int gidIndex() {
        try (DeviceContext context = DeviceContext.open(name())) {
            return TestDevice.gid(context.query().ports().getFirst()).index();
        }
    }
}
