package dev.verbena.transfer.fabric.verbs.cm;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.verbs.cm.CmEvent;
import dev.verbena.verbs.cm.CmId;
import dev.verbena.verbs.cm.ConnectionParameters;

/**
 * The connection of one queue pair through the connection manager, on either side.
 *
 * <pre>
 *   who connects                                  who accepts
 *   {@link #connect}: address, route, request ──►   {@link #accept}: the queue pair is made ready, and the request granted
 *   the queue pair is made ready          ◄──
 *   ESTABLISHED                           ──►     ESTABLISHED
 * </pre>
 *
 * <p><b>Owner:</b> the negotiation, then the connection. <b>Threading:</b> thread-safe; events come on the agent's thread.
 */
public final class CmLink implements AutoCloseable {
    /** The queue pair's part. */
    public interface End {
        /** What the peer is told, without private data. */
        ConnectionParameters parameters();

        /** Brings the queue pair to READY_TO_SEND, as far as the connection manager does not do it. */
        void makeReady(CmId id);
    }

    private enum State {
        /** Not connected yet, or in the midst of it. */
        CONNECTING,
        /** Both sides may send. */
        ESTABLISHED,
        /** It came to nothing, was disconnected, or closed. */
        ENDED
    }

    private static final Logger LOGGER = LoggerFactory.getLogger(CmLink.class);
    private static final long RESOLVE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);

    private final CmAgent agent;
    private final End end;
    /** All guarded by this. */
    private State state = State.CONNECTING;
    private CmId id;
    private byte[] privateData = {};
    private String cause;
    private Consumer<String> whenDecided = cause -> {};
    private Consumer<String> onEnd = cause -> {};

    public CmLink(CmAgent agent, End end) {
        this.agent = agent;
        this.end = end;
    }

    // ---- the connecting side ----

    /** Begins to connect to the peer's queue pair of that index. */
    public synchronized void connect(InetSocketAddress remote, CmToken token, int index) {
        privateData = token.privateData(index);
        take(agent.createId());
        id.resolveAddress(new InetSocketAddress(agent.address().getAddress(), 0), remote, RESOLVE_TIMEOUT_NS);
    }

    // ---- the accepting side ----

    /** The peer asks for it. */
    void accept(CmId request) {
        grant(request).run();
    }

    private synchronized Runnable grant(CmId request) {
        if (state != State.CONNECTING || id != null) {
            CmAgent.refuse(request, "this queue pair is connected already, or no more");
            return () -> {};
        }
        try {
            end.makeReady(request);
            request.accept(end.parameters());
            take(request);
            return () -> {};
        } catch (RuntimeException e) {
            LOGGER.warn("{} cannot be granted: {}", request, e.getMessage());
            CmAgent.refuse(request, e.getMessage());
            return end(e.getMessage());
        }
    }

    // ---- both ----

    /**
     * Called once, with null when it is established, or with the cause when it has ended before, otherwise than by {@link #close}; at once if
     * that is so.
     */
    public void whenDecided(Consumer<String> whenDecided) {
        String known;
        synchronized (this) {
            if (state == State.CONNECTING) {
                this.whenDecided = whenDecided;
                return;
            }
            known = cause;
            if (state == State.ENDED && known == null) {
                return;
            }
        }
        whenDecided.accept(known);
    }

    /** Called with the cause when it has ended otherwise than by {@link #close}; at once if it has. */
    public void onEnd(Consumer<String> onEnd) {
        String ended;
        synchronized (this) {
            this.onEnd = onEnd;
            ended = state == State.ENDED ? cause : null;
        }
        if (ended != null) {
            onEnd.accept(ended);
        }
    }

    private void take(CmId id) {
        this.id = id;
        agent.add(id, this);
    }

    /** Called on the agent's thread. */
    void on(CmEvent event) {
        Runnable then;
        synchronized (this) {
            then = state == State.ENDED ? () -> {} : advance(event);
        }
        then.run();
    }

    /** @return what is to be called next, without this side's lock */
    private Runnable advance(CmEvent event) {
        try {
            switch (event.type()) {
                case ADDRESS_RESOLVED -> {
                    agent.requireDevice(id);
                    id.resolveRoute(RESOLVE_TIMEOUT_NS);
                }
                case ROUTE_RESOLVED -> id.connect(end.parameters().withPrivateData(privateData));
                case CONNECT_RESPONSE -> {
                    end.makeReady(id);
                    id.establish();
                    return establish();
                }
                case ESTABLISHED -> {
                    return establish();
                }
                case DISCONNECTED -> {
                    return end("the connection of its queue pair has ended");
                }
                default -> {
                    if (event.type().isFailure()) {
                        return end(event.problem() + said(event));
                    }
                }
            }
            return () -> {};
        } catch (RuntimeException e) {
            return end(e.getMessage());
        }
    }

    /** Why the peer refused, if it said so. */
    private static String said(CmEvent event) {
        String text = new String(event.privateData(), StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "").strip();
        return text.isEmpty() ? "" : " It says: " + text;
    }

    private Runnable establish() {
        if (state != State.CONNECTING) {
            return () -> {};
        }
        state = State.ESTABLISHED;
        Consumer<String> hears = whenDecided;
        return () -> hears.accept(null);
    }

    private Runnable end(String cause) {
        LOGGER.debug("{}: {}", id, cause);
        Consumer<String> hears = state == State.CONNECTING ? whenDecided : onEnd;
        state = State.ENDED;
        this.cause = cause;
        return () -> hears.accept(cause);
    }

    /** Ends it for both sides. Idempotent. */
    @Override
    public synchronized void close() {
        state = State.ENDED;
        CmId closed = id;
        id = null;
        if (closed != null) {
            agent.remove(closed);
            closed.close();
        }
    }
}
