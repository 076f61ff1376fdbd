package dev.verbena.memory.slab;

import java.lang.foreign.MemorySegment;

/**
 * Whether Java lets this module call native code; asked where memory is first wanted, since later it would be a class that cannot be
 * initialised.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class NativeAccess {
    private NativeAccess() {}

    /** @throws IllegalCallerException saying what to start Java with, if it refuses */
    public static void require() {
        try {
            MemorySegment.NULL.reinterpret(1);
        } catch (IllegalCallerException refused) {
            throw new IllegalCallerException(
                    "Java refuses native calls, so there is no memory for tensors: start java with"
                            + " --enable-native-access=ALL-UNNAMED, or with --enable-native-access=dev.verbena.allocator where"
                            + " Verbena is on the module path.",
                    refused);
        }
    }
}
