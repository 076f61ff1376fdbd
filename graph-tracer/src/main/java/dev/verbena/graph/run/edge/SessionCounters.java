package dev.verbena.graph.run.edge;

import dev.verbena.graph.run.SessionStatistics;
import dev.verbena.graph.run.memory.SessionTracer;

/**
 * What a session counts.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread.
 */
public final class SessionCounters {
    /**
     * How a tensor went.
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
     */
    enum Way {
        STATIC, PLACED, LENT, DYNAMIC
    }

    private boolean first;
    private long iterations;
    private long copiesFirst;
    private long copiesLater;
    private long copiedByteSizeFirst;
    private long copiedByteSizeLater;
    private final long[] transfers = new long[Way.values().length];

    /** @param first whether these targets have not been run before */
    public void beginIteration(boolean first) {
        this.first = first;
    }

    public void endIteration() {
        iterations++;
    }

    void sent(Way way, boolean copied, long byteSize) {
        transfers[way.ordinal()]++;
        if (copied && first) {
            copiesFirst++;
            copiedByteSizeFirst += byteSize;
        } else if (copied) {
            copiesLater++;
            copiedByteSizeLater += byteSize;
        }
    }

    public SessionStatistics snapshot(SessionTracer tracer, long crossingByteSize, long plannedByteSize) {
        return new SessionStatistics(iterations, copiesFirst, copiesLater, copiedByteSizeFirst, copiedByteSizeLater,
                of(Way.STATIC) + of(Way.PLACED), of(Way.PLACED), of(Way.LENT), of(Way.DYNAMIC), tracer.sitesSeen(),
                tracer.sitesRegistered(),
                crossingByteSize,
                plannedByteSize);
    }

    private long of(Way way) {
        return transfers[way.ordinal()];
    }
}
