package dev.verbena.verbs;

import java.util.List;

import dev.verbena.verbs.library.NativeLibrary;
import dev.verbena.verbs.ffi.LibIbverbs;
import dev.verbena.verbs.ffi.AbiCheck;

/**
 * Whether this process can use RDMA verbs.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Verbs {
    private Verbs() {}

    /**
     * Null where there is at least one RDMA device to use; otherwise one sentence that says why not and what to do:
     * another kind of machine than those verified, native calls refused by Java, rdma-core missing or too old, a kernel
     * without RDMA, no device. Asked anew each time: devices come and go.
     */
    public static String unavailableReason() {
        String problem = bindingProblem();
        if (problem != null) {
            return problem;
        }
        try (DeviceList devices = DeviceList.open()) {
            return devices.absence();
        } catch (VerbsException failed) {
            return failed.getMessage();
        }
    }

    /**
     * Null, or why libibverbs cannot be called at all; to be asked before anything generated or {@link LibIbverbs} is
     * touched.
     */
    static String bindingProblem() {
        return bindingProblem(NativeLibrary.IBVERBS, LibIbverbs.Symbols.REQUIRED);
    }

    /**
     * In this order: no library is opened on a machine whose layouts were never verified; and opening it tells whether
     * Java allows native calls, without which the generated layouts cannot even be initialised.
     */
    static String bindingProblem(NativeLibrary library, List<String> required) {
        String problem = AbiCheck.machineProblem();
        if (problem == null) {
            problem = library.problem(required);
        }
        return problem != null ? problem : AbiCheck.layoutProblem(AbiCheck.verified());
    }
}
