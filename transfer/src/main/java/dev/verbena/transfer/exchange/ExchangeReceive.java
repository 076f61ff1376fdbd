package dev.verbena.transfer.exchange;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.ExchangeContent;
import dev.verbena.transfer.ExchangeException;
import dev.verbena.transfer.TransferException;

/**
 * One question for a tensor, from {@link AdaptiveExchangeReceiver#receive} to its end.
 *
 * <pre>
 *   WAITING ── it is there ──────────────────────────► ARRIVED ──► TAKEN
 *      │ ── it is to be read ──► STALLED ──► READING ──► ARRIVED
 *      └ any of these ── failure ──► FAILED,  ── cancel ──► CANCELLED
 * </pre>
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.ExchangeRequest}. <b>Threading:</b> changed under the lock of its receiver, read by any
 * thread.
 */
public final class ExchangeReceive extends MatchTable.Entry {
    /** How far it is. */
    enum State {
        /** Nothing of that name and step has come. */
        WAITING,
        /** It is known where it lies; memory for it is not there yet. */
        STALLED,
        /** It is being read. */
        READING,
        /** It is whole, for who asked. */
        ARRIVED,
        /** Who asked has it. */
        TAKEN,
        /** It will not come. */
        FAILED,
        /** Nobody asks any more. */
        CANCELLED
    }

    private final AdaptiveExchangeReceiver receiver;
    private volatile State state = State.WAITING;
    private ExchangeArrival arrival;
    private ExchangeContent content = ExchangeContent.TENSOR;
    private Tensor tensor;
    private TransferException failure;

    ExchangeReceive(AdaptiveExchangeReceiver receiver, String name, long step) {
        this.receiver = receiver;
        call(name, step);
    }

    State state() {
        return state;
    }

    /** Whether it has ended, well or not; looks. */
    public boolean isDone() {
        if (!hasEnded()) {
            receiver.look(this);
        }
        return hasEnded();
    }

    private boolean hasEnded() {
        return switch (state) {
            case WAITING, STALLED, READING -> false;
            case ARRIVED, TAKEN, FAILED, CANCELLED -> true;
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
        synchronized (receiver) {
            if (state == State.FAILED) {
                throw failure;
            }
            if (state != State.ARRIVED) {
                throw new IllegalStateException(
                        this + " is " + state + ", and only what has arrived can be taken, once");
            }
            state = State.TAKEN;
            Tensor taken = tensor;
            tensor = null;
            return taken;
        }
    }

    /** Nobody asks any more. What has arrived is closed, what is being read will be. @return whether it had not ended */
    public boolean cancel() {
        return receiver.cancel(this);
    }

    /** What it waits for memory for, in words; null if it does not. */
    public String awaitsMemory() {
        return receiver.awaitsMemory(this);
    }

    // ---- under the lock of its receiver ----

    ExchangeArrival arrival() {
        return arrival;
    }

    void stall(ExchangeArrival arrival) {
        this.arrival = arrival;
        state = State.STALLED;
    }

    void read() {
        state = State.READING;
    }

    /** Ends as what came says. */
    void finish(ExchangeArrival came, Tensor whole, String peerName) {
        arrival = null;
        if (state == State.CANCELLED) {
            if (whole != null) {
                whole.close();
            }
        } else if (came.kind == ExchangeEntry.Kind.ERROR) {
            fail(new ExchangeException(peerName, name(), step(), came.failure));
        } else if (came.failure != null) {
            fail(new TransferException(came.failure));
            if (whole != null) {
                whole.close();
            }
        } else {
            content = switch (came.kind) {
                case EAGER, RENDEZVOUS, ERROR -> ExchangeContent.TENSOR;
                case BYTES -> ExchangeContent.BYTES;
                case DEAD -> ExchangeContent.DEAD;
            };
            tensor = whole;
            state = State.ARRIVED;
        }
    }

    void fail(TransferException cause) {
        if (!hasEnded()) {
            arrival = null;
            failure = cause;
            state = State.FAILED;
        }
    }

    /** @return whether it had not ended */
    boolean end() {
        boolean wasOpen = !hasEnded();
        if (state == State.ARRIVED && tensor != null) {
            tensor.close();
            tensor = null;
        }
        if (wasOpen || state == State.ARRIVED) {
            arrival = null;
            state = State.CANCELLED;
        }
        return wasOpen;
    }
}
