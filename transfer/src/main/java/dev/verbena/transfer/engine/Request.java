package dev.verbena.transfer.engine;

import java.util.Arrays;

import dev.verbena.transfer.spi.WorkRequest;

/**
 * A work request, or a list of them that is posted as one, with somebody to tell when it is done; made once, posted many times, never twice at
 * once. Of a list only the last is signaled: when that is done, those before it are.
 *
 * <p><b>Owner:</b> the protocol that made it. <b>Threading:</b> prepared and handed over by one thread at a time; {@link #onDone} runs
 * on whichever thread drives the engine, which may be the one that hands it over, before that returns.
 */
public abstract class Request implements Runnable {
    /** The first of the list. */
    protected final WorkRequest workRequest;
    /** Made as they are needed. */
    private WorkRequest[] list;
    private int listed = 1;
    /** Where it goes; set by {@link EngineQueuePair#execute}. */
    EngineQueuePair target;
    /** Links requests that wait for room in the send queue. Written by {@link EngineQueuePair} only. */
    Request nextWaiting;
    /** Whether it is among those. */
    boolean isLinedUp;
    /** Of the list, from its head on. Written by {@link EngineQueuePair} only, as are the next two. */
    int posted;
    /** Posted and not known to have ended. */
    int inFlight;
    /** Of the first of the list that has failed; null while none has. */
    String failure;

    protected Request(int elementCountMax) {
        workRequest = new WorkRequest(elementCountMax);
        list = new WorkRequest[]{workRequest};
    }

    /** The n-th of the list, which is that long then, to be prepared. */
    protected final WorkRequest listed(int n) {
        if (n == list.length) {
            list = Arrays.copyOf(list, 2 * n);
        }
        if (list[n] == null) {
            list[n] = new WorkRequest(workRequest.region.length);
        }
        listed = n + 1;
        return list[n];
    }

    int listed() {
        return listed;
    }

    WorkRequest at(int n) {
        return list[n];
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
