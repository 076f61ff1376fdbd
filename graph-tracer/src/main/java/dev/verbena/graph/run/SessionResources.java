package dev.verbena.graph.run;

import java.util.ArrayDeque;
import java.util.Deque;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a session holds and closes in the reverse order: ends of edges, then arenas. Confined to the session's thread. */
final class SessionResources {
    private static final Logger LOG = LoggerFactory.getLogger(SessionResources.class);

    /** Something whose closing throws nothing checked. */
    @FunctionalInterface
    interface Resource {
        void close();
    }

    private final Deque<Resource> resources = new ArrayDeque<>();

    void add(Resource resource) {
        resources.push(resource);
    }

    /**
     * Closes everything, whatever fails; then throws the first failure with the others suppressed.
     *
     * @param broken after a failure; what cannot be closed then, because something is still under way, is only logged
     */
    void close(boolean broken) {
        RuntimeException failure = null;
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null && broken) {
            LOG.debug("left open after a failed run", failure);
        } else if (failure != null) {
            throw failure;
        }
    }
}
