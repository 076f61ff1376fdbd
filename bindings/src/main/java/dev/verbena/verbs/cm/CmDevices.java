package dev.verbena.verbs.cm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.bridge.VerbsAccess;
import dev.verbena.verbs.ffi.LibRdmacm;
import dev.verbena.verbs.ffi.NativeCall;

/**
 * The device contexts that connections bring. They belong to librdmacm, which may close one whose device went away when
 * no connection is left on it, whatever else was made from it; so a reference to each is kept for ever, as
 * rdma_get_devices(3) offers.
 *
 * <p><b>Owner:</b> none, lives as long as the process. <b>Threading:</b> thread-safe.
 */
final class CmDevices {
    private static final Set<Long> KEPT = new HashSet<>();
    private static final Map<Long, DeviceContext> CONTEXTS = new HashMap<>();

    private CmDevices() {}

    /** The same object for the same context, so that what was made from it over one connection serves the others. */
    static synchronized DeviceContext of(MemorySegment context) {
        if (!KEPT.contains(context.address())) {
            keepAll();
        }
        return CONTEXTS.computeIfAbsent(context.address(),
                address -> VerbsAccess.get().borrow(context, () -> forget(address)));
    }

    /** Called when the object is closed: the next connection gets a new one for it. */
    private static synchronized void forget(long address) {
        CONTEXTS.remove(address);
    }

    private static void keepAll() {
        MemorySegment list = NativeCall.pointer("rdma_get_devices", () -> "devices=all",
                capture -> (MemorySegment) LibRdmacm.GetDevices.HANDLE.invokeExact(capture, MemorySegment.NULL))
                .reinterpret(Long.MAX_VALUE);
        for (long i = 0; list.getAtIndex(ValueLayout.JAVA_LONG, i) != 0; i++) {
            KEPT.add(list.getAtIndex(ValueLayout.JAVA_LONG, i));
        }
    }
}
