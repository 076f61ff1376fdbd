package dev.verbena.transfer.fabric;

import java.lang.foreign.MemorySegment;

import dev.verbena.transfer.TransferException;

/**
 * Whether Java lets this module call native code; asked before a fabric is, since later it would be a class that cannot be initialised.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class NativeAccess {
    private NativeAccess() {}

    /** Null, or one sentence that says what to start Java with: what this module stands on is refused next. */
    public static String problem() {
        try {
            MemorySegment.NULL.reinterpret(1);
            return null;
        } catch (IllegalCallerException _) {
            return "Java refuses native calls, so tensors cannot be sent: start java with"
                    + " --enable-native-access=ALL-UNNAMED, or with --enable-native-access="
                    + "dev.verbena.allocator,dev.verbena.bindings,dev.verbena.transfer where Verbena is on the module path.";
        }
    }

    /** @throws TransferException if there is a problem */
    public static void require() {
        String problem = problem();
        if (problem != null) {
            throw new TransferException(problem);
        }
    }
}
