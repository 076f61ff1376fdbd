package dev.verbena.transfer.exchange;

import java.util.concurrent.atomic.AtomicReference;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.ChunkHandler;
import dev.verbena.transfer.ExchangeContent;
import dev.verbena.transfer.ExchangeException;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.protocol.LandingPlaces;

/**
 * One question for a tensor, from {@link AdaptiveExchangeReceiver#ask} to its end; it may be asked again then.
 *
 * <pre>
 *   IDLE ── ask ──► WAITING ── it is there ──────────────────────────► ARRIVED ── take ──► IDLE
 *                      │ ── it is to be read ──► STALLED ──► READING ──► ARRIVED
 *                      │              STALLED ── withdrawn ──► WAITING
 *                      └ any of these ── failure ──► FAILED,  ── cancel ──► IDLE
 * </pre>
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.ExchangeRequest}. <b>Threading:</b> changed under the lock of its receiver, read by any
 * thread.
 */
public final class ExchangeReceive extends MatchTable.Entry {
    /** How far it is. */
    enum State {
        /** Nobody asks: before the first time, when what has come is taken, and when it is cancelled. */
        IDLE,
        /** Nothing of that name and step has come. */
        WAITING,
        /** It is known where it lies; memory for it is not there yet. */
        STALLED,
        /** It is being read, or handed on. */
        READING,
        /** It is whole, for who asked. */
        ARRIVED,
        /** It will not come. */
        FAILED
    }

    private final AdaptiveExchangeReceiver receiver;
    /** May be null. */
    private final ChunkHandler handler;
    /** A write orders what was written before it, and nothing else: who waits for it hears of it by {@link Engines#announce}. */
    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
    /** While it is stalled or being read. */
    private ExchangeArrival arrival;
    private ExchangeContent content = ExchangeContent.TENSOR;
    private LandingPlaces.Place place;
    private TransferException failure;

    ExchangeReceive(AdaptiveExchangeReceiver receiver, ChunkHandler handler) {
        this.receiver = receiver;
        this.handler = handler;
    }

    State state() {
        return state.getAcquire();
    }

    ChunkHandler handler() {
        return handler;
    }

    /** @see dev.verbena.transfer.ExchangeRequest#ask */
    public void ask(String name, long step) {
        receiver.ask(this, name, step);
    }

    /** Whether it has ended, well or not; looks. */
    public boolean isDone() {
        if (isOpen()) {
            receiver.look(this);
        }
        return !isOpen();
    }

    boolean isOpen() {
        return switch (state()) {
            case WAITING, STALLED, READING -> true;
            case IDLE, ARRIVED, FAILED -> false;
        };
    }

    /** What has come. */
    public ExchangeContent content() {
        return content;
    }

    /**
     * What has come, which is the caller's from then on; null of what is dead.
     *
     * @throws TransferException if it has failed
     * @throws IllegalStateException if it has not ended, or was taken or cancelled before
     */
    public Tensor take() {
        LandingPlaces.Place taken = takePlace();
        return taken == null ? null : taken.give();
    }

    /** Lends what has come to a lease that holds none. @return false if it is dead: there is nothing to lend */
    public boolean take(TensorLease lease) {
        LandingPlaces.Place taken = takePlace();
        if (taken == null) {
            return false;
        }
        try {
            taken.lend(lease);
        } catch (IllegalStateException e) {
            taken.drop();
            throw e;
        }
        return true;
    }

    private LandingPlaces.Place takePlace() {
        synchronized (receiver) {
            if (state() == State.FAILED) {
                throw failure;
            }
            if (state() != State.ARRIVED) {
                throw new IllegalStateException(
                        this + " is " + state() + ", and only what has arrived can be taken, once");
            }
            state.setRelease(State.IDLE);
            LandingPlaces.Place taken = place;
            place = null;
            return taken;
        }
    }

    /** Nobody asks any more. What has arrived is given up, what is being read will be. @return whether it had not ended */
    public boolean cancel() {
        return receiver.cancel(this);
    }

    /** Whether it, or what comes before it, waits for room, which nobody tells of. */
    public boolean isHeldUp() {
        return receiver.isHeldUp();
    }

    /** What it waits for memory for, in words; null if it does not. */
    public String awaitsMemory() {
        return receiver.awaitsMemory(this);
    }

    // ---- under the lock of its receiver ----

    ExchangeArrival arrival() {
        return arrival;
    }

    void begin(String name, long step) {
        if (isOpen() || state() == State.ARRIVED) {
            throw new IllegalStateException(
                    this + " is " + state() + "; take it, or cancel it, before it asks for '" + name + "' step="
                            + step);
        }
        call(name, step);
        failure = null;
        state.setRelease(State.WAITING);
    }

    void stall(ExchangeArrival from) {
        arrival = from;
        state.setRelease(State.STALLED);
    }

    void unstall() {
        arrival = null;
        state.setRelease(State.WAITING);
    }

    void read(ExchangeArrival from) {
        arrival = from;
        state.setRelease(State.READING);
    }

    /** Ends as what came says. */
    void finish(ExchangeArrival came, LandingPlaces.Place whole, String peerName) {
        arrival = null;
        if (came.kind == ExchangeEntry.Kind.ERROR) {
            fail(new ExchangeException(peerName, name(), step(), came.failure));
        } else if (came.failure != null) {
            fail(new TransferException(came.failure));
            if (whole != null) {
                whole.drop();
            }
        } else {
            content = switch (came.kind) {
                case EAGER, RENDEZVOUS, ERROR, WITHDRAWAL -> ExchangeContent.TENSOR;
                case BYTES -> ExchangeContent.BYTES;
                case DEAD -> ExchangeContent.DEAD;
            };
            place = whole;
            state.setRelease(State.ARRIVED);
        }
    }

    void fail(TransferException cause) {
        arrival = null;
        failure = cause;
        state.setRelease(State.FAILED);
    }

    /** @return whether it had not ended */
    boolean end() {
        boolean wasOpen = isOpen();
        if (place != null) {
            place.drop();
            place = null;
        }
        if (state() != State.FAILED) {
            state.setRelease(State.IDLE);
        }
        arrival = null;
        return wasOpen;
    }
}
