package dev.verbena.graph.run.edge;

import dev.verbena.graph.run.SessionStatistics;
import dev.verbena.graph.run.memory.SessionTracer;

/**
 * What a session counts.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread.
 */
public final class SessionCounters {
    private boolean first;
    private long iterations;
    private long copiesFirst;
    private long copiesLater;
    private long copiedByteSizeFirst;
    private long copiedByteSizeLater;
    private long transfersStatic;
    private long transfersPlaced;
    private long transfersDynamic;

    /** @param first whether these targets have not been run before */
    public void beginIteration(boolean first) {
        this.first = first;
    }

    public void endIteration() {
        iterations++;
    }

    void sent(boolean isStatic, boolean isPlaced, boolean copied, long byteSize) {
        transfersPlaced += isPlaced ? 1 : 0;
        if (isStatic) {
            transfersStatic++;
        } else {
            transfersDynamic++;
        }
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
                transfersStatic, transfersPlaced, transfersDynamic, tracer.sitesSeen(), tracer.sitesRegistered(),
                crossingByteSize,
                plannedByteSize);
    }
}
