package dev.verbena.transfer.engine;

/**
 * A part of a transfer that goes over a queue pair whose engine need not be the one at which the transfer is at home: request after request
 * there, and its end is told at home, so that what its parts have in common has one writer.
 *
 * <pre>
 *   home ── go ──► the queue pair's engine: request ── done ──► the next one ── done, or failed ──► home: onEnded
 * </pre>
 *
 * <p><b>Owner:</b> the protocol that made it. <b>Threading:</b> {@link #go} by one thread at a time, and not before it has ended;
 * {@link #prepare} on that thread, and while driving the queue pair's engine; {@link #onEnded} while driving the one at home.
 */
public abstract class Stripe extends Request {
    /** Made when it goes for the first time. */
    private Runnable comeHome;
    private Engine home;
    private long cursor;
    private long end;
    private String failure;

    protected Stripe(int elementCountMax) {
        super(elementCountMax);
    }

    /** Sends what lies between begin and end, in requests of which the first may be empty; it may have ended when this returns. */
    protected final void go(EngineQueuePair over, Engine home, long begin, long end) {
        if (comeHome == null) {
            comeHome = this::comeHome;
        }
        this.home = home;
        this.cursor = begin;
        this.end = end;
        prepareNext();
        over.execute(this);
    }

    private void prepareNext() {
        cursor += prepare(cursor, end - cursor);
    }

    @Override
    protected final void onDone(String cause) {
        if (cause == null && cursor < end) {
            prepareNext();
            target.submit(this);
            return;
        }
        if (home.isDriving()) {
            onEnded(cause);
        } else {
            failure = cause;
            home.execute(comeHome);
        }
    }

    private void comeHome() {
        onEnded(failure);
    }

    /** Prepares the request for what begins there. @return how much of it that takes */
    protected abstract long prepare(long byteOffset, long byteSize);

    /** All of it has ended, well or not; called exactly once for each time it went. */
    protected abstract void onEnded(String failure);
}
