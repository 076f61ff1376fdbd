package dev.verbena.transfer.engine;

import dev.verbena.transfer.spi.WorkRequest;

/**
 * A work request with somebody to tell when it is done; made once, posted many times, never twice at once.
 *
 * <p><b>Owner:</b> the protocol that made it. <b>Threading:</b> prepared and handed over by one thread at a time; {@link #onDone} runs
 * on whichever thread drives the engine, which may be the one that hands it over, before that returns.
 */
public abstract class Request implements Runnable {
    protected final WorkRequest workRequest;
    /** Where it goes; set by {@link EngineQueuePair#execute}. */
    EngineQueuePair target;
    /** Links requests that wait for room in the send queue. Written by {@link EngineQueuePair} only. */
    Request nextWaiting;

    protected Request(int elementCountMax) {
        workRequest = new WorkRequest(elementCountMax);
    }

    /** The command that the engine runs. */
    @Override
    public final void run() {
        target.submit(this);
    }

    /**
     * The request is done, well or not; called exactly once for each time it was handed over. It may be prepared and
     * {@linkplain EngineQueuePair#submit submitted} again from here.
     *
     * @param failure null on success, otherwise what happened in words
     */
    protected abstract void onDone(String failure);
}
