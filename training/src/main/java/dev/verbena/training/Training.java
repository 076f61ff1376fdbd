package dev.verbena.training;

import java.util.Map;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;

/** Interim signature. */
public final class Training {
    private Training() {}

    /** Task names, servers first: server:0 .. worker:0 .. */
    public static java.util.List<String> tasks(TrainingOptions options) {
        throw new UnsupportedOperationException();
    }

    /** Everything in this process, no transfer. */
    public static TrainingResult local(TrainingOptions options, Dataset data, TrainingListener listener) {
        throw new UnsupportedOperationException();
    }

    /** One task of a cluster; cluster has the endpoint of every task. */
    public static TrainingResult task(TrainingOptions options, Dataset data, String task, Map<String, Endpoint> cluster,
            RdmaDevice device, TrainingListener listener) {
        throw new UnsupportedOperationException();
    }

    /** Registered memory that all tasks together will ask for, before anything starts; bytes. */
    public static long plannedByteSize(TrainingOptions options, Dataset data) {
        throw new UnsupportedOperationException();
    }

    /** Throws IllegalArgumentException with one clear line if the options cannot be run on the data (model unknown, 0 workers, batch larger than the data, ...). */
    public static void check(TrainingOptions options, Dataset data) {
        throw new UnsupportedOperationException();
    }
}
