package dev.verbena.verbs.cm;

import dev.verbena.verbs.QueuePair;

/**
 * A connection of two queue pairs of one device through rdma_cm, for devices that know no other. They are closed before
 * it is.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class CmLink implements AutoCloseable {
    private final CmPair pair = new CmPair();

    public CmLink(QueuePair one, QueuePair other) {
        pair.resolve();
        ConnectionParameters parameters = ConnectionParameters.defaults();
        pair.request(parameters.withQueuePair(one, false));
        pair.passive.accept(parameters.withQueuePair(other, false));
        pair.established();
    }

    /** Takes what has happened to the connection: the states of its queue pairs are those of the events taken. */
    public void takeEvents() {
        for (CmEvent event = pair.channel.await(0); event != null; event = pair.channel.await(0)) {
            if (event.type() != CmEventType.DISCONNECTED) {
                throw new AssertionError(event);
            }
        }
    }

    @Override
    public void close() {
        pair.close();
    }
}
