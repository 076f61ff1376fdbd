package dev.verbena.cli;

import java.util.Map;

import dev.verbena.transfer.Endpoint;

/** Whom a task reports to and learns the cluster from: a launcher, or the person who started it by hand. */
interface TaskLink {
    void tell(TaskMessage message);

    /** The endpoints of all tasks, as soon as they are known. */
    Map<String, Endpoint> awaitCluster();
}
