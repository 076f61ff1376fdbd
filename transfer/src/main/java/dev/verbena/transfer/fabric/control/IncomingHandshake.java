package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * The accepting side of a handshake; afterwards the connection watches the socket.
 *
 * <pre>
 *   who connects                       who accepts
 *   KNOCK        ────────────────────►  AWAIT_KNOCK, if a secret is to be known: {@link Authentication}
 *                ◄────────────────────  CHALLENGE
 *   HELLO        ────────────────────►  AWAIT_HELLO: reaches the other
 *                ◄────────────────────  WELCOME, or REFUSE and close
 *   reaches the accepter; READY ─────►  AWAIT_READY
 *                                       AWAIT_REACH: until the other is reached
 *                                       CONNECTED
 * </pre>
 *
 * <p>Threading: confined to the control thread.
 */
final class IncomingHandshake implements ControlLoop.Watcher {
    private static final Logger LOGGER = LoggerFactory.getLogger(IncomingHandshake.class);

    /** Who is welcome has so many times as long as a stranger: longer than it tries by itself, for it says so when it gives up. */
    private static final int PATIENCE = 2;
    private static final String BOTH_THE_SAME = "give both the same VERBENA_SECRET_FILE, or NetworkOptions.withSecret";

    private enum State {
        /** Somebody has connected, and must show that it knows the secret. */
        AWAIT_KNOCK,
        /** Somebody has connected and not said who it is. */
        AWAIT_HELLO,
        /** It was welcomed, but cannot reach this side yet. */
        AWAIT_READY,
        /** It is connected, and what it says from now on is for the connection; this side cannot reach it yet. */
        AWAIT_REACH,
        /** The connection is made and has taken over the socket. */
        CONNECTED,
        /** It came to nothing; everything is released. */
        ENDED;

        boolean mayBecome(State next) {
            return switch (this) {
                case AWAIT_KNOCK -> next == AWAIT_HELLO || next == ENDED;
                case AWAIT_HELLO -> next == AWAIT_READY || next == ENDED;
                case AWAIT_READY -> next == AWAIT_REACH || next == ENDED;
                case AWAIT_REACH -> next == CONNECTED || next == ENDED;
                case CONNECTED, ENDED -> false;
            };
        }
    }

    private final ControlledFabric fabric;
    private final ControlLoop loop;
    private final ControlSocket socket;
    private final ConnectionHandler handler;
    private final long timeoutNs;
    private final Runnable onEnd;
    private final Authentication authentication;
    private State state;
    private ControlLoop.Timer deadline;
    private ControlledConnection connection;
    private boolean isReached;

    IncomingHandshake(ControlledFabric fabric, ControlLoop loop, ControlSocket socket, ConnectionHandler handler,
            long timeoutNs, Runnable onEnd) {
        this.fabric = fabric;
        this.loop = loop;
        this.socket = socket;
        this.handler = handler;
        this.timeoutNs = timeoutNs;
        this.onEnd = onEnd;
        authentication = fabric.authentication();
        state = authentication.isWanted() ? State.AWAIT_KNOCK : State.AWAIT_HELLO;
        deadline = deadline(timeoutNs);
    }

    private ControlLoop.Timer deadline(long afterNs) {
        String reason = "the handshake did not end within " + TimeUnit.NANOSECONDS.toMillis(afterNs) + " ms";
        return loop.after(afterNs, () -> end(reason, reason));
    }

    @Override
    public void onBeat() {
        if (state == State.CONNECTED) {
            connection.onBeat();
        }
    }

    @Override
    public void onEnd() {
        if (state == State.CONNECTED) {
            connection.onEnd();
        } else {
            end("this side closes", "it closes");
        }
    }

    @Override
    public void onReady() {
        if (state == State.CONNECTED) {
            connection.onReady();
            return;
        }
        try {
            boolean isAlive = socket.receive();
            Frame frame = state == State.AWAIT_REACH ? null : socket.next();
            if (frame != null) {
                onFrame(frame);
            } else if (!isAlive) {
                end("it closed the socket", null);
            }
        } catch (ProtocolException e) {
            end(e.getMessage(), e.getMessage());
        } catch (TlsLayer.PlainTextException e) {
            end(e.getMessage(), e.getMessage());
        } catch (IOException e) {
            end(e.getMessage(), null);
        }
    }

    private void onFrame(Frame frame) throws IOException, ProtocolException {
        if (state == State.AWAIT_KNOCK && frame.type() == Frame.Type.KNOCK) {
            socket.send(Frame.Type.CHALLENGE, authentication.onKnock(frame.payload()));
            move(State.AWAIT_HELLO);
        } else if (state == State.AWAIT_KNOCK && frame.type() == Frame.Type.HELLO) {
            throw new ProtocolException("who connects here must know the secret, and shows none; " + BOTH_THE_SAME);
        } else if (!authentication.isWanted() && frame.type() == Frame.Type.KNOCK) {
            throw new ProtocolException("who connects wants this side to know a secret, and it has none; "
                    + BOTH_THE_SAME);
        } else if (state == State.AWAIT_HELLO && frame.type() == Frame.Type.HELLO) {
            onHello(authentication.openHello(frame.payload()));
        } else if (state == State.AWAIT_READY && frame.type() == Frame.Type.READY) {
            onPeerReady();
        } else if (frame.type() == Frame.Type.REFUSE) {
            end("it refuses: " + ControlSocket.refusal(frame), null);
        } else {
            throw new ProtocolException("unexpected " + frame.type() + " in " + state);
        }
    }

    private void onHello(ByteBuffer hello) throws IOException {
        try {
            ControlledFabric.Visitor visitor = fabric.visitor(hello.duplicate());
            List<QueuePairOptions> options = List
                    .copyOf(handler.onRequest(visitor.name(), visitor.queuePairCount()));
            if (options.size() != visitor.queuePairCount()) {
                throw new IllegalArgumentException(
                        "handler made " + options.size() + " queue pairs of " + visitor.queuePairCount());
            }
            fabric.check(options);
            try (Negotiation negotiation = fabric.negotiate(options)) {
                connection = negotiation.meet(socket, hello);
                fabric.welcome(connection, authentication.signWelcome(negotiation.hello()));
            }
            move(State.AWAIT_READY);
            deadline.cancel();
            deadline = deadline(PATIENCE * timeoutNs);
            connection.whenReachable(cause -> loop.run(() -> onReached(cause)));
        } catch (ProtocolException | RuntimeException e) {
            end("it cannot be accepted: " + e.getMessage(), e.getMessage());
        }
    }

    private void onPeerReady() {
        move(State.AWAIT_REACH);
        if (isReached) {
            becomeConnected();
        }
    }

    /** @param cause why it never will be, or null */
    private void onReached(String cause) {
        if (cause != null) {
            end(cause, cause);
            return;
        }
        isReached = true;
        if (state == State.AWAIT_REACH) {
            becomeConnected();
        }
    }

    private void becomeConnected() {
        move(State.CONNECTED);
        deadline.cancel();
        onEnd.run();
        if (fabric.adopt(connection)) {
            try {
                handler.onAccepted(connection);
            } catch (RuntimeException e) {
                LOGGER.error("the handler of an accepted connection failed; the connection is closed", e);
                connection.abort("cannot use the connection: " + e.getMessage());
                return;
            }
            // The peer may have ended already, and what it said last was read together with READY.
            connection.onReady();
        }
    }

    private void move(State next) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException("handshake cannot move from " + state + " to " + next);
        }
        state = next;
    }

    /** @param refusal for the peer, or null if it would not hear it */
    private void end(String reason, String refusal) {
        if (state == State.CONNECTED || state == State.ENDED) {
            return;
        }
        deadline.cancel();
        boolean isStranger = authentication.isWanted() && connection == null && refusal != null;
        move(State.ENDED);
        LOGGER.atLevel(isStranger ? Level.WARN : Level.DEBUG).log("a connection from {} came to nothing: {}",
                socket.channel().socket().getRemoteSocketAddress(), reason);
        try {
            if (refusal != null) {
                socket.sendRefusal(refusal);
            }
        } catch (IOException e) {
            LOGGER.debug("and it could not be told", e);
        }
        if (connection != null) {
            connection.close();
        }
        socket.close();
        onEnd.run();
    }
}
