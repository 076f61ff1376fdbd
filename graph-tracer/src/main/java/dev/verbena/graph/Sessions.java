package dev.verbena.graph;

import java.util.Map;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;

/** Interim signature. */
public final class Sessions {
    private Sessions() {}

    /** All tasks of the graph in this process, without transfers. */
    public static Session local(Graph graph, SessionOptions options) {
        throw new UnsupportedOperationException();
    }

    /** This task's part; returns when all addresses are distributed, which needs the peers' sessions to be created too. */
    public static Session distributed(Graph graph, String task, Map<String, Endpoint> cluster, RdmaDevice device,
            SessionOptions options) {
        throw new UnsupportedOperationException();
    }

    /** Registered memory that the task's session will ask for, in bytes. */
    public static long plannedByteSize(Graph graph, String task, SessionOptions options) {
        throw new UnsupportedOperationException();
    }
}
