package dev.verbena.verbs.ffi;

import java.util.List;

import dev.verbena.verbs.library.NativeLibrary;

/**
 * Whether libibverbs can be called at all; to be asked before anything generated or {@link LibIbverbs} is touched.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Availability {
    private Availability() {}

    /** Null, or one sentence that says why not and what to do. */
    public static String problem() {
        return problem(NativeLibrary.IBVERBS, LibIbverbs.Symbols.REQUIRED);
    }

    /**
     * In this order: no library is opened on a machine whose layouts were never verified; and opening it tells whether
     * Java allows native calls, without which the generated layouts cannot even be initialised.
     */
    static String problem(NativeLibrary library, List<String> required) {
        String problem = AbiCheck.machineProblem();
        if (problem == null) {
            problem = library.problem(required);
        }
        return problem != null ? problem : AbiCheck.layoutProblem(AbiCheck.verified());
    }
}
