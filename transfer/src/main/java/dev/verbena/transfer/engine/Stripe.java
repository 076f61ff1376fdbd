package dev.verbena.transfer.engine;

import dev.verbena.transfer.spi.WorkRequest;

/**
 * A part of a transfer that goes over a queue pair whose engine need not be the one at which the transfer is at home: list of requests after list
 * there, and its end is told at home, so that what its parts have in common has one writer.
 *
 * <pre>
 *   home ── go ──► the queue pair's engine: list ── done ──► the next one ── done, or failed ──► home: onEnded
 * </pre>
 *
 * <p><b>Owner:</b> the protocol that made it. <b>Threading:</b> {@link #go} by one thread at a time, and not before it has ended;
 * {@link #prepare} on that thread, and while driving the queue pair's engine; {@link #onEnded} while driving the one at home.
 */
public abstract class Stripe extends Request {
    /** Of a list: while those behind it wait their turn, others of the queue pair do too. */
    private static final int LISTED_MAX = 4;

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
        begin(home, begin, end);
        over.execute(this);
    }

    /** The same, while driving the queue pair's engine; if another comes right behind it, that posts both as one list. */
    protected final void go(EngineQueuePair over, Engine home, long begin, long end, boolean isAnotherComing) {
        begin(home, begin, end);
        if (isAnotherComing) {
            over.lineUp(this);
        } else {
            over.submit(this);
        }
    }

    private void begin(Engine home, long begin, long end) {
        if (comeHome == null) {
            comeHome = this::comeHome;
        }
        this.home = home;
        this.cursor = begin;
        this.end = end;
        prepareNext();
    }

    private void prepareNext() {
        int n = 0;
        do {
            cursor += prepare(listed(n++), cursor, end - cursor);
        } while (cursor < end && n < LISTED_MAX);
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

    /** Prepares a request for what begins there. @return how much of it that takes */
    protected abstract long prepare(WorkRequest request, long byteOffset, long byteSize);

    /** All of it has ended, well or not; called exactly once for each time it went. */
    protected abstract void onEnded(String failure);
}
