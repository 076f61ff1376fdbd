package dev.verbena.verbs;

import dev.verbena.verbs.bridge.VerbsAccess;
import dev.verbena.verbs.ffi.Availability;

/**
 * Whether this process can use RDMA verbs.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Verbs {
    static {
        VerbsAccess.install(new PackageAccess());
    }

    private Verbs() {}

    /**
     * Null where there is at least one RDMA device to use; otherwise one sentence that says why not and what to do:
     * another kind of machine than those verified, native calls refused by Java, rdma-core missing or too old, a kernel
     * without RDMA, no device. Asked anew each time: devices come and go.
     */
    public static String unavailableReason() {
        String problem = Availability.problem();
        if (problem != null) {
            return problem;
        }
        try (DeviceList devices = DeviceList.open()) {
            return devices.absence();
        } catch (VerbsException failed) {
            return failed.getMessage();
        }
    }
}
