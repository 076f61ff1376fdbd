package dev.verbena.verbs;

import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.verbena.verbs.ffi.Guard;
import dev.verbena.verbs.ffi.Lifetime;

/**
 * What all objects of verbs share: a {@link Lifetime}.
 *
 * <p><b>Owner:</b> whoever created it. <b>Threading:</b> thread-safe.
 */
abstract class VerbsObject implements AutoCloseable {
    private final Lifetime lifetime;
    /** That of the lifetime, kept here for the data path: each further step to it takes time there. */
    private final Guard guard;

    /** To be constructed within {@link #whileOpen} of every parent; one that is null does not count. */
    VerbsObject(String description, VerbsObject... parents) {
        this(description, null, parents);
    }

    /** With a parent that is of another room; or null. */
    VerbsObject(String description, Lifetime foreignParent, VerbsObject... parents) {
        Stream<Lifetime> own = Stream.of(parents).filter(Objects::nonNull).map(parent -> parent.lifetime);
        this.lifetime = new Lifetime(description, new Lifetime.Ending() {
            @Override
            public void destroy() {
                VerbsObject.this.destroy();
            }

            @Override
            public String unfinished() {
                return VerbsObject.this.unfinished();
            }
        }, Stream.concat(own, Stream.ofNullable(foreignParent)).toArray(Lifetime[]::new));
        this.guard = lifetime.guard();
    }

    /** Null, or why it cannot be closed now and what to do; for what its own thread has begun and not ended. */
    String unfinished() {
        return null;
    }

    /** Destroys the native object; a failure leaves it open. Called once no call is in it. */
    abstract void destroy();

    /** Whether it can be used. */
    public final boolean isOpen() {
        return lifetime.isOpen();
    }

    /**
     * Destroys the object. Idempotent.
     *
     * @throws IllegalStateException if other objects still depend on it, or something that was begun on it is not
     *             ended; the message names them, and the object stays open
     * @throws VerbsException if the kernel refuses; the object stays open
     */
    @Override
    public final void close() {
        lifetime.close();
    }

    /** Runs the call, during which the object cannot be closed. Not for the data path: see {@link #guard}. */
    final <T> T whileOpen(Supplier<T> call) {
        return lifetime.whileOpen(call);
    }

    final void runWhileOpen(Runnable call) {
        whileOpen(() -> {
            call.run();
            return null;
        });
    }

    /** From here to {@link #leaveCall} it cannot be closed. */
    final void enterCall() {
        lifetime.enterCall();
    }

    final void leaveCall() {
        lifetime.leaveCall();
    }

    /** For the data path; its {@code enter} throws if the object is closed. */
    final Guard guard() {
        return guard;
    }

    /** For values that outlive the object but mean nothing then. */
    final void requireOpen() {
        lifetime.requireOpen();
    }

    @Override
    public final String toString() {
        return lifetime.toString();
    }
}
