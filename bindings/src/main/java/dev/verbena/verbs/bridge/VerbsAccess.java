package dev.verbena.verbs.bridge;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.function.ToIntFunction;

import dev.verbena.verbs.AddressVector;
import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAttributes;
import dev.verbena.verbs.QueuePairOptions;
import dev.verbena.verbs.QueuePairState;
import dev.verbena.verbs.Verbs;

/**
 * What another package of this module does with objects of {@code dev.verbena.verbs} and users do not; that package
 * installs it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public abstract class VerbsAccess {
    private static volatile VerbsAccess installed;

    protected VerbsAccess() {}

    public static VerbsAccess get() {
        if (installed == null) {
            try {
                MethodHandles.lookup().ensureInitialized(Verbs.class);
            } catch (IllegalAccessException impossible) {
                throw new AssertionError(impossible);
            }
        }
        return installed;
    }

    /** Called once, when {@link Verbs} is initialised. */
    public static void install(VerbsAccess access) {
        installed = access;
    }

    /** Of a struct ibv_context that somebody else opened and keeps open; told when the object is closed. */
    public abstract DeviceContext borrow(MemorySegment context, Runnable closing);

    /**
     * A queue pair that the maker makes, moves from state to state, and destroys.
     *
     * @throws IllegalArgumentException if the domain or what the options name was made from another device context
     */
    public abstract QueuePair createQueuePair(DeviceContext device, ProtectionDomain domain, QueuePairOptions options,
            QueuePairMaker maker);

    /** An event has told that the queue pair of that number, if it is of these bindings, has come to the state. */
    public abstract void reached(DeviceContext device, int queuePairNumber, QueuePairState state);

    /**
     * What brings a queue pair to the state.
     *
     * @param fill fills in a struct ibv_qp_attr that says the state, and returns which attributes it means
     */
    public abstract QueuePairAttributes attributes(QueuePairState state, ToIntFunction<MemorySegment> fill);

    /** From a struct ibv_ah_attr. */
    public abstract AddressVector addressVector(MemorySegment struct);
}
