package dev.verbena.verbs.ffi;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * From the creation of a native object to its end: parents that may not be closed before it, calls that it may not be closed
 * under.
 *
 * <p>Always: an object is in the list of children of each of its parents from its creation until it is closed, and an
 * object with children or with a call in it does not close.
 *
 * <p>Who holds a lock takes only such as stand further right; none is held while a program's own code runs:
 *
 * <pre>
 *   {@link LibRdmacm#LOCK} &gt; CmDevices &gt; CompletionChannel &gt; AsyncEvents &gt; the list of children and calls of an object
 * </pre>
 *
 * <p><b>Owner:</b> the object. <b>Threading:</b> thread-safe.
 */
public final class Lifetime {
    /** Reads {@code isClosed} plainly on the data path: behind an acquiring read the compiler loads again all that it knows of a request. */
    private static final VarHandle IS_CLOSED;

    static {
        try {
            IS_CLOSED = MethodHandles.lookup().findVarHandle(Lifetime.class, "isClosed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How an object ends. */
    @FunctionalInterface
    public interface Ending {
        /** Destroys the native object; a failure leaves it open. Called once no call is in it. */
        void destroy();

        /** Null, or why it cannot be closed now and what to do; for what its own thread has begun and not ended. */
        default String unfinished() {
            return null;
        }
    }

    private final String description;
    private final Ending ending;
    private final Lifetime[] parents;
    /** Guarded by this, as are the calls; the end is written under this. */
    private final List<Lifetime> children = new ArrayList<>();
    private int calls;
    private volatile boolean isClosed;
    private final Guard guard = new Guard(this::closedException);

    /** To be constructed within {@link #whileOpen} of every parent; a parent that is null does not count,
     * one that is there twice counts once. */
    public Lifetime(String description, Ending ending, Lifetime... parents) {
        this.description = description;
        this.ending = ending;
        this.parents = Stream.of(parents).filter(Objects::nonNull).distinct().toArray(Lifetime[]::new);
        for (Lifetime parent : this.parents) {
            parent.add(this);
        }
    }

    /** Whether the object can be used. */
    public boolean isOpen() {
        return !isClosed;
    }

    /**
     * Destroys the object. Idempotent.
     *
     * @throws IllegalStateException if other objects still depend on it, or something that was begun on it is not
     *             ended; the message names them, and the object stays open
     */
    public void close() {
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
            String unfinished = ending.unfinished();
            if (unfinished != null) {
                throw new IllegalStateException(description + " cannot be closed: " + unfinished);
            }
            isClosed = true;
        }
        guard.close();
        try {
            ending.destroy();
        } catch (RuntimeException refused) {
            synchronized (this) {
                guard.reopen();
                isClosed = false;
            }
            throw refused;
        }
        for (Lifetime parent : parents) {
            parent.remove(this);
        }
    }

    /** Runs the call, during which the object cannot be closed. Not for the data path: see {@link #guard}. */
    public <T> T whileOpen(Supplier<T> call) {
        enterCall();
        try {
            return call.get();
        } finally {
            leaveCall();
        }
    }

    /** From here to {@link #leaveCall} it cannot be closed. */
    public synchronized void enterCall() {
        if (isClosed) {
            throw closedException();
        }
        calls++;
    }

    public synchronized void leaveCall() {
        calls--;
    }

    /** For the data path; its {@code enter} throws if the object is closed. */
    public Guard guard() {
        return guard;
    }

    /** For values that outlive the object but mean nothing then. */
    public void requireOpen() {
        if ((boolean) IS_CLOSED.get(this)) {
            throw closedException();
        }
    }

    private IllegalStateException closedException() {
        return new IllegalStateException(description + " is closed; open or create a new one");
    }

    /** Makes it a child of another parent; to be called within {@link #whileOpen} of this and of the other. */
    public void move(Lifetime from, Lifetime to) {
        to.add(this);
        parents[List.of(parents).indexOf(from)] = to;
        from.remove(this);
    }

    private synchronized void add(Lifetime child) {
        children.add(child);
    }

    private synchronized void remove(Lifetime child) {
        children.remove(child);
    }

    /** The object, as messages name it. */
    @Override
    public String toString() {
        return description;
    }
}
