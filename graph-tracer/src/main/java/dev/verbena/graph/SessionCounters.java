package dev.verbena.graph;

/** What a session counts. Confined to the session's thread. */
final class SessionCounters {
    private boolean first;
    private long iterations;
    private long copiesFirst;
    private long copiesLater;
    private long copiedByteSizeFirst;
    private long copiedByteSizeLater;
    private long transfersStatic;

    /** @param first whether these targets have not been run before */
    void beginIteration(boolean first) {
        this.first = first;
    }

    void endIteration() {
        iterations++;
    }

    void sent(boolean copied, long byteSize) {
        transfersStatic++;
        if (copied && first) {
            copiesFirst++;
            copiedByteSizeFirst += byteSize;
        } else if (copied) {
            copiesLater++;
            copiedByteSizeLater += byteSize;
        }
    }

    SessionStatistics snapshot(AllocationTracer tracer, long crossingByteSize, long plannedByteSize) {
        return new SessionStatistics(iterations, copiesFirst, copiesLater, copiedByteSizeFirst, copiedByteSizeLater,
                transfersStatic, 0, tracer.sitesSeen(), tracer.sitesRegistered(), crossingByteSize, plannedByteSize);
    }
}
