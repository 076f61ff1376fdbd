package dev.verbena.memory.heap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Handles of fields that several threads read or write, so that each access says in which order.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> no state.
 */
public final class FieldHandle {
    private FieldHandle() {}

    /** Of a field of the class that the lookup is from. */
    public static VarHandle of(MethodHandles.Lookup own, String name, Class<?> type) {
        try {
            return own.findVarHandle(own.lookupClass(), name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
