package dev.verbena.verbs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import dev.verbena.verbs.ffi.Guard;
import dev.verbena.verbs.ffi.LibRdmacm;

/**
 * What all objects of verbs share: parents that may not be closed before them, and an end.
 *
 * <p>Always: an object is in the list of children of each of its parents from its creation until it is closed, and an
 * object with children or with a call in it does not close.
 *
 * <p>Who holds a lock takes only such as stand further right; none is held while a program's own code runs:
 *
 * <pre>
 *   {@link LibRdmacm#LOCK} &gt; {@link CmDevices} &gt; {@link CompletionChannel} &gt; {@link AsyncEvents} &gt; the list of children and calls of an object
 * </pre>
 *
 * <p><b>Owner:</b> whoever created it. <b>Threading:</b> thread-safe.
 */
abstract class VerbsObject implements AutoCloseable {
    /** Reads {@code isClosed} plainly on the data path: behind an acquiring read the compiler loads again all that it knows of a request. */
    private static final VarHandle IS_CLOSED;

    static {
        try {
            IS_CLOSED = MethodHandles.lookup().findVarHandle(VerbsObject.class, "isClosed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String description;
    private final VerbsObject[] parents;
    /** Guarded by this, as are the calls; the end is written under this. */
    private final List<VerbsObject> children = new ArrayList<>();
    private int calls;
    private volatile boolean isClosed;
    private volatile Guard guard = new Guard(this::closedException);

    /** To be constructed within {@link #whileOpen} of every parent; a parent that is null does not count,
     * one that is there twice counts once. */
    VerbsObject(String description, VerbsObject... parents) {
        this.description = description;
        this.parents = Stream.of(parents).filter(Objects::nonNull).distinct().toArray(VerbsObject[]::new);
        for (VerbsObject parent : this.parents) {
            parent.add(this);
        }
    }

    /** Null, or why it cannot be closed now and what to do; for what its own thread has begun and not ended. */
    String unfinished() {
        return null;
    }

    /** Destroys the native object; a failure leaves it open. Called once no call is in it. */
    abstract void destroy();

    /** Whether it can be used. */
    public final boolean isOpen() {
        return !isClosed;
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
        synchronized (this) {
            if (isClosed) {
                return;
            }
            if (calls > 0 || !children.isEmpty()) {
                throw new IllegalStateException(description + " cannot be closed: "
                        + (calls > 0 ? "calls=" + calls + " are under way in other threads" : "still open are "
                                + children)
                        + "; close what depends on it first");
            }
            String unfinished = unfinished();
            if (unfinished != null) {
                throw new IllegalStateException(description + " cannot be closed: " + unfinished);
            }
            isClosed = true;
        }
        guard.close();
        try {
            destroy();
        } catch (RuntimeException refused) {
            synchronized (this) {
                guard = new Guard(this::closedException);
                isClosed = false;
            }
            throw refused;
        }
        for (VerbsObject parent : parents) {
            parent.remove(this);
        }
    }

    /** Runs the call, during which the object cannot be closed. Not for the data path: see {@link #guard}. */
    final <T> T whileOpen(Supplier<T> call) {
        enterCall();
        try {
            return call.get();
        } finally {
            leaveCall();
        }
    }

    /** From here to {@link #leaveCall} it cannot be closed. */
    final synchronized void enterCall() {
        if (isClosed) {
            throw closedException();
        }
        calls++;
    }

    final synchronized void leaveCall() {
        calls--;
    }

    final void runWhileOpen(Runnable call) {
        whileOpen(() -> {
            call.run();
            return null;
        });
    }

    /** For the data path; its {@code enter} throws if the object is closed. */
    final Guard guard() {
        return guard;
    }

    /** For values that outlive the object but mean nothing then. */
    final void requireOpen() {
        if ((boolean) IS_CLOSED.get(this)) {
            throw closedException();
        }
    }

    final IllegalStateException closedException() {
        return new IllegalStateException(description + " is closed; open or create a new one");
    }

    /** Makes it a child of another parent; to be called within {@link #whileOpen} of this and of the other. */
    final void move(VerbsObject from, VerbsObject to) {
        to.add(this);
        parents[List.of(parents).indexOf(from)] = to;
        from.remove(this);
    }

    private synchronized void add(VerbsObject child) {
        children.add(child);
    }

    private synchronized void remove(VerbsObject child) {
        children.remove(child);
    }

    @Override
    public final String toString() {
        return description;
    }
}
