package dev.verbena.verbs.cm;

import java.net.InetSocketAddress;

/**
 * Listens for connections; each comes with an event channel of its own.
 *
 * <p><b>Owner:</b> whoever made it; connections outlive it. <b>Threading:</b> one thread takes connections,
 * {@link #wake} is for any.
 */
public final class CmListener implements AutoCloseable {
    private final CmEventChannel channel;
    private final CmId id;

    private CmListener(CmEventChannel channel, CmId id) {
        this.channel = channel;
        this.id = id;
    }

    /**
     * Binds and listens.
     *
     * @param local a wildcard means all devices, port 0 any free port
     * @param backlog requests that may wait to be taken
     */
    public static CmListener listen(InetSocketAddress local, int backlog) {
        CmEventChannel channel = CmEventChannel.create();
        try {
            CmId id = channel.createId();
            try {
                id.bind(local);
                id.listen(backlog);
                return new CmListener(channel, id);
            } catch (Throwable failed) {
                id.close();
                throw failed;
            }
        } catch (Throwable failed) {
            channel.close();
            throw failed;
        }
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return id.localAddress();
    }

    /**
     * Waits for a request.
     *
     * @return the connection, to be accepted or rejected and closed; null when time is up, after {@link #wake}, or for
     *         no reason
     */
    public CmConnection next(long timeoutNs) {
        CmEvent event = channel.await(timeoutNs);
        if (event == null) {
            return null;
        }
        if (event.type().isFailure()) {
            throw new ConnectionException(event.problem(), event);
        }
        if (event.type() != CmEventType.CONNECT_REQUEST) {
            return null;
        }
        try {
            return CmConnection.of(event);
        } catch (Throwable failed) {
            event.id().close();
            throw failed;
        }
    }

    /** Ends a present {@link #next}, or else the next one. */
    public void wake() {
        channel.wake();
    }

    /** Who waits is refused. */
    @Override
    public void close() {
        id.close();
        channel.close();
    }
}
