package dev.verbena.cli;

import java.util.Map;

import dev.verbena.transfer.Endpoint;

/** Whom a task reports to and learns the cluster from: a launcher, or the person who started it by hand. */
interface TaskLink {
    void tell(TaskMessage message);

    /** A line for people. */
    default void say(String line) {
        System.err.println(line);
    }

    /** The endpoints of all tasks, as soon as they are known. */
    Map<String, Endpoint> awaitCluster();
}
